import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { eventually } from '../conformance/testbed.ts';

const reenact = fileURLToPath(new URL('../../packages/reenact/bin/reenact.mjs', import.meta.url));

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'reenact-stopped-start-'));
});
afterEach(() => rm(folder, { recursive: true, force: true }));

describe('reenact collect that is stopped while it opens its store', () => {
  it('ends in order', async () => {
    const data = join(folder, 'data');
    const flags = ['--http-port', '0', '--grpc-port', '0', '--data', data];
    const collecting = spawn(process.execPath, [reenact, 'collect', ...flags], {
      env: { PATH: process.env.PATH, HOME: folder },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    const said = text(collecting.stdout);
    const complaints = text(collecting.stderr);
    const ended = once(collecting, 'close');
    await eventually('the begin of the opening', async () => existsSync(data));
    collecting.kill('SIGTERM');
    expect(await ended).toEqual([0, null]);
    expect(await said).toMatch(/stopped\n$/);
    expect(await complaints).toBe('');
  });
});
