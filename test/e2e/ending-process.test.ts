import { cpSync, readdirSync } from 'node:fs';
import { createServer, type IncomingMessage, type Server } from 'node:http';
import { type AddressInfo, createServer as createNetServer, type Server as NetServer, type Socket } from 'node:net';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { afterEach, beforeEach, expect, it } from 'vitest';
import type { Stage } from '../scenarios/stage.ts';
import { setSmallStage } from './small-stage.ts';

const LEFT_COUNT = 12;

let stage: Stage;
const servers = new Set<Server | NetServer>();
beforeEach(async () => {
  stage = await setSmallStage();
  await stage.stopCollector();
});
afterEach(async () => {
  for (const server of servers) server.close();
  servers.clear();
  await stage.stop();
});

async function listening<T extends Server | NetServer>(server: T, port = 0): Promise<T> {
  servers.add(server);
  await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve));
  return server;
}

/** Listens where the collector of the stage did. */
function receiving(answer: (body: string) => Promise<number>): Promise<Server> {
  const server = createServer(async (request: IncomingMessage, response) => {
    const status = await answer(await text(request));
    response.writeHead(status, { 'content-type': 'application/json', connection: 'close' }).end('{}');
  });
  return listening(server, Number(new URL(stage.collectorUrl).port));
}

function folders(): string[] {
  return readdirSync(join(stage.folder, 'spool'));
}

const script = ['--import', 'reenact/register', 'ends-when-told.ts'];

it('waits for one request at most of what others left in the spool', { timeout: 120_000 }, async () => {
  await stage.node(script, { OTEL_SERVICE_NAME: 'left-behind' });
  const [left = ''] = folders();
  const place = join(stage.folder, 'spool');
  for (let number = 1; number < LEFT_COUNT; number += 1) {
    // In the place of what was drawn at random, whole: a part of it may be the number already.
    const copy = `${left.slice(0, -12)}${String(number).padStart(12, '0')}`;
    cpSync(join(place, left), join(place, copy), { recursive: true });
  }
  expect(folders()).toHaveLength(LEFT_COUNT);
  let connection: Socket | undefined;
  const telling = await listening(createNetServer((socket) => (connection = socket)));
  const bodies: string[] = [];
  await receiving(async (body) => {
    bodies.push(body);
    const isLeft = body.includes('left-behind');
    // Answered when the process has nothing else to do any more.
    if (isLeft && connection?.closed === false)
      await new Promise((resolve) => connection?.once('close', resolve).end());
    return 200;
  });
  const { port } = telling.address() as AddressInfo;
  const ended = await stage.node(script, { TOLD_ON_PORT: String(port) });
  expect([ended.exitCode, ended.stdout, ended.stderr]).toEqual([0, 'nothing left to do\n', '']);
  expect(bodies.filter((body) => body.includes('"small"'))).toHaveLength(1);
  // One that is under way when the process ends its work is waited for; what is left stays for the next process.
  expect(folders().length).toBeGreaterThan(LEFT_COUNT / 2);
});

it('tries a receiver once that takes nothing, and keeps everything on the disk', { timeout: 120_000 }, async () => {
  const bodies: string[] = [];
  await receiving(async (body) => {
    bodies.push(body);
    return 404;
  });
  const ended = await stage.node(script);
  expect([ended.exitCode, ended.stdout, ended.stderr]).toEqual([
    0,
    'nothing left to do\n',
    expect.stringContaining('They are kept in'),
  ]);
  expect([bodies.length, folders().length]).toEqual([1, 1]);
});
