import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { printedBy } from '@reenact/instrumentation/testing';
import { afterEach, beforeEach, describe, it } from 'vitest';

const reenact = fileURLToPath(new URL('../../packages/reenact/bin/reenact.mjs', import.meta.url));

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'reenact-left-by-npm-'));
});
afterEach(() => rm(folder, { recursive: true, force: true }));

interface Collecting {
  /** Ends the shell, as npm does with what it runs where it is told to end. */
  endShell(): Promise<unknown>;
  /** Resolves once nobody has what the shell and the collector write to. */
  readonly ended: Promise<unknown>;
}

/** A collector that a shell has started, which npm has for `script`. */
async function startByShell(script: string): Promise<Collecting> {
  const flags = ['--http-port', '0', '--grpc-port', '0', '--data', await mkdtemp(join(folder, 'data-')), '--json'];
  // With a command of its own behind it a shell stays, whichever it is.
  const shell = spawn('sh', ['-c', '"$@"; true', 'sh', process.execPath, reenact, 'collect', ...flags], {
    env: { PATH: process.env.PATH, HOME: folder, npm_lifecycle_script: script },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const ended = once(shell, 'close');
  await printedBy(shell, /\{.*\}/);
  const endShell = () => {
    const exit = once(shell, 'exit');
    shell.kill('SIGTERM');
    return exit;
  };
  return { endShell, ended };
}

describe('a collector that npm has started, and whose shell npm ends', () => {
  it.each(["'reenact'", 'reenact', 'reenact collect --data ./data'])('ends in order: %s', async (script) => {
    const collecting = await startByShell(script);
    await collecting.endShell();
    await collecting.ended;
  });
});
