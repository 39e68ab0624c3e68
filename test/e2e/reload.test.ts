import { createHash } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { eventually } from '../conformance/testbed.ts';
import { type RunningCommand, startCommand } from '../scenarios/run-command.ts';

const reenact = fileURLToPath(new URL('../../packages/reenact/bin/reenact.mjs', import.meta.url));

let folder: string;
let collector: RunningCommand | undefined;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'reenact-reload-'));
});
afterEach(async () => {
  await collector?.stop();
  collector = undefined;
  await rm(folder, { recursive: true, force: true });
});

function tokensOf(...tokens: string[]): string {
  const digest = (token: string) => createHash('sha256').update(token).digest('hex');
  return JSON.stringify(tokens.map((token) => ({ name: token, sha256: digest(token), scopes: ['read'] })));
}

/** `reenact collect` that looks at its files only when it is told to. */
async function startCollect(): Promise<{ tokensFile: string; hangUp(): void; ask(token: string): Promise<number> }> {
  const tokensFile = join(folder, 'tokens.json');
  const config = join(folder, 'collector.json');
  await writeFile(tokensFile, tokensOf('first'));
  const places = { dataDirectory: join(folder, 'data'), httpPort: 0, grpcPort: 0 };
  await writeFile(config, JSON.stringify({ ...places, tokensFile, limits: { accessCheckMs: 2 ** 30 } }));
  const command = [process.execPath, reenact, 'collect', '--config', config, '--json'];
  collector = await startCommand(command, { cwd: folder, environment: { PATH: process.env.PATH, HOME: folder } });
  const { httpUrl, processId } = JSON.parse(collector.firstLine) as { httpUrl: string; processId: number };
  return {
    tokensFile,
    hangUp: () => void process.kill(processId, 'SIGHUP'),
    ask: async (token) => {
      const headers = { authorization: `Bearer ${token}` };
      return (await fetch(`${httpUrl}/api/v1/runs`, { headers })).status;
    },
  };
}

describe('reenact collect at SIGHUP', () => {
  it('reads its tokens again, keeps them where it cannot, and still ends in order', async () => {
    const { tokensFile, hangUp, ask } = await startCollect();
    expect([await ask('first'), await ask('second')]).toEqual([200, 401]);
    await writeFile(tokensFile, tokensOf('second'));
    hangUp();
    await eventually('the second token', async () => (await ask('second')) === 200);
    await writeFile(tokensFile, 'no JSON');
    hangUp();
    // Signals are handled in the order they are sent: the file was read before the collector ends.
    expect([await ask('first'), await ask('second')]).toEqual([401, 200]);
    const result = await collector?.stop();
    collector = undefined;
    expect(result?.exitCode).toBe(0);
    expect(result?.stderr.match(/reload refused/g)).toHaveLength(1);
  });
});
