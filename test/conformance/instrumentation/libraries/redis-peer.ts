import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { printedBy } from '@reenact/instrumentation/testing';
import type { Peer } from '../fidelity-library.ts';
import { MoodyProxy } from '../peers/moody-proxy.ts';

/** The program that has to be on the machine. */
export const REDIS_PROGRAM = 'redis-server';

/** A Redis server of its own that keeps nothing on the disk. */
export async function startRedisPeer(): Promise<Peer> {
  const folder = mkdtempSync(join(tmpdir(), 'reenact-redis-'));
  const path = join(folder, 'redis.sock');
  const flags = ['--port', '0', '--unixsocket', path, '--dir', folder, '--save', ''];
  const child = spawn(REDIS_PROGRAM, flags, { stdio: ['ignore', 'pipe', 'pipe'] });
  await printedBy(child, /ready to accept/i);
  const stop = async (): Promise<void> => {
    const ended = once(child, 'exit');
    child.kill('SIGKILL');
    await ended;
    rmSync(folder, { recursive: true });
  };
  return MoodyProxy.start({ at: { path }, stop });
}
