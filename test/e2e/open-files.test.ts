import { mkdtemp, rm } from 'node:fs/promises';
import { connect, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { eventually, makeSpan, postSpans, spanIdOf } from '../conformance/testbed.ts';
import { bareEnvironment } from '../scenarios/bare-environment.ts';
import { type RunningCommand, startCommand } from '../scenarios/run-command.ts';

const reenact = fileURLToPath(new URL('../../packages/reenact/bin/reenact.mjs', import.meta.url));

let folder: string;
let collector: RunningCommand | undefined;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'reenact-files-'));
});
afterEach(async () => {
  await collector?.stop();
  collector = undefined;
  await rm(folder, { recursive: true, force: true });
});

const isLinux = process.platform === 'linux';

/** Opens a connection, and says when it is closed. */
function open(url: string, onClosed: () => void): Socket {
  const { hostname, port } = new URL(url);
  return connect(Number(port), hostname)
    .on('error', () => undefined)
    .on('close', onClosed)
    .resume();
}

it.skipIf(!isLinux)('connections leave open files to the store, and those beyond are told of', async () => {
  const collect = ['collect', '--json', '--http-port', '0', '--grpc-port', '0', '--data', join(folder, 'data')];
  const command = ['sh', '-c', 'ulimit -n 200 && exec "$@"', 'sh', process.execPath, reenact, ...collect];
  collector = await startCommand(command, { cwd: folder, environment: { ...bareEnvironment(), HOME: folder } });
  const { httpUrl, grpcUrl } = JSON.parse(collector.firstLine) as { httpUrl: string; grpcUrl: string };
  expect((await postSpans(httpUrl, [makeSpan()])).status).toBe(200);
  let closed = 0;
  const sockets = Array.from({ length: 400 }, (_, index) =>
    open(index % 2 === 0 ? httpUrl : grpcUrl, () => (closed += 1)),
  );
  await eventually('those that are too many', async () => closed >= 290);
  expect(closed).toBeLessThan(310);
  expect(collector.errors()).toMatch(/requests refused.*connections already.*ulimit/);
  for (const socket of sockets.slice(0, 50)) socket.destroy();
  await eventually('room again', async () => {
    const answer = await postSpans(httpUrl, [makeSpan({ spanId: spanIdOf(2) })]).catch(() => undefined);
    return answer?.status === 200;
  });
  for (const socket of sockets) socket.destroy();
  expect(collector.errors()).not.toContain('settling failed');
});
