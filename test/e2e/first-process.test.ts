import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import type { Readable } from 'node:stream';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';

const reenact = fileURLToPath(new URL('../../packages/reenact/bin/reenact.mjs', import.meta.url));
/** Runs a command as process 1 of a container has it; when this process ends, the command does. */
const ALONE = ['--pid', '--fork', '--mount-proc', '--kill-child'];
const canStartFirst = spawnSync('unshare', [...ALONE, 'true']).status === 0;

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'reenact-first-process-'));
});
afterEach(() => rm(folder, { recursive: true, force: true }));

function startFirst(): ChildProcess & { readonly stdout: Readable; readonly stderr: Readable } {
  const flags = ['--json', '--http-port', '0', '--grpc-port', '0', '--log-level', 'info'];
  const command = [process.execPath, reenact, 'collect', ...flags, '--data', join(folder, 'data')];
  const env = { PATH: process.env.PATH, HOME: folder };
  return spawn('unshare', [...ALONE, ...command], { env, stdio: ['ignore', 'pipe', 'pipe'] });
}

/** Resolves with the first line that says so. */
function lineOf(stream: Readable, text: string): Promise<string> {
  const { promise, resolve } = Promise.withResolvers<string>();
  createInterface(stream).on('line', (line) => line.includes(text) && resolve(line));
  return promise;
}

/** The number that process 1 has here. */
function outerNumber(unshare: number | undefined): number {
  return Number(readFileSync(`/proc/${unshare}/task/${unshare}/children`, 'utf8'));
}

/** A request whose body does not come, and that a stop waits for. */
async function sendBeginning(port: string): Promise<() => void> {
  const socket = connect(Number(port), '127.0.0.1').on('error', () => undefined);
  const head = ['POST /v1/traces HTTP/1.1', 'Host: collector', 'Content-Type: application/x-protobuf'];
  socket.write([...head, 'Content-Length: 100', 'Expect: 100-continue', '', ''].join('\r\n'));
  expect(String((await once(socket, 'data'))[0])).toContain('100 Continue');
  return () => socket.destroy();
}

describe.runIf(canStartFirst)('reenact collect as process 1 of a container (needs the right to unshare)', () => {
  it.each([
    ['SIGTERM', 'SIGTERM', 143],
    ['SIGTERM', 'SIGINT', 130],
  ] as const)('stops in order at %s, and ends at once at %s with status %i', async (first, second, status) => {
    const collecting = startFirst();
    const stopping = lineOf(collecting.stderr, '"stopping"');
    const { httpUrl, processId } = JSON.parse(await lineOf(collecting.stdout, 'httpUrl'));
    expect(processId).toBe(1);
    const end = await sendBeginning(new URL(httpUrl).port);
    const number = outerNumber(collecting.pid);
    const ended = once(collecting, 'close');
    process.kill(number, first);
    await stopping;
    process.kill(number, second);
    expect(await ended).toEqual([status, null]);
    end();
  });
});
