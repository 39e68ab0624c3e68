import { spawn } from 'node:child_process';
import { existsSync, mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { isGone } from './is-gone.ts';
import { tellListening } from './listening-file.ts';
import { stopLeftServers } from './stop-left-servers.ts';

const server = { protocol: 'http', address: '127.0.0.1', port: 8080 } as const;
/** Longer than any test may take: who waits that long has failed. */
const stopMsMax = 600_000;
let directory: string;

beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'reenact-left-'));
});
afterEach(() => rmSync(directory, { recursive: true, force: true }));

describe('a server that is left', () => {
  it('is told to stop and not waited for in a container, whose numbers are those of others here', async () => {
    const name = `listening-${process.pid}-1.json`;
    writeFileSync(join(directory, name), JSON.stringify({ ...server, host: 'a container' }));
    await stopLeftServers(spawn(process.execPath, ['--version']), directory, stopMsMax);
    expect(existsSync(join(directory, `stop-${process.pid}`))).toBe(true);
  });

  it('is waited for on this machine until it has ended', async () => {
    tellListening(directory, server);
    const left = spawn(process.execPath, ['-e', 'process.stdin.resume()']);
    renameSync(join(directory, `listening-${process.pid}-1.json`), join(directory, `listening-${left.pid}-1.json`));
    const stopped = stopLeftServers(spawn(process.execPath, ['--version']), directory, stopMsMax);
    const told = join(directory, `stop-${left.pid}`);
    while (!existsSync(told)) await new Promise((resolve) => setImmediate(resolve));
    left.stdin.end();
    await stopped;
    expect(isGone(left.pid ?? 0)).toBe(true);
  });
});
