import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import { createRequire } from 'node:module';
import type { AddressInfo } from 'node:net';
import { context } from '@opentelemetry/api';
import { AsyncLocalStorageContextManager } from '@opentelemetry/context-async-hooks';
import { HttpInstrumentation } from '@reenact/instrumentation-http';
import { replay } from '@reenact/replay';
import { agent } from 'reenact';
import * as undici from 'undici';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import * as ws from 'ws';
import { recordRun } from './recorded-run.ts';

/** The older copies that the instrumentation is tested with. */
const require = createRequire(new URL('../../packages/instrumentation-http/package.json', import.meta.url));
const [undici6, undici7] = ['undici-6', 'undici-7'].map((name) => require(name) as typeof undici);

let instrumentation: HttpInstrumentation;
let server: Server;
const accepting = new ws.WebSocketServer({ noServer: true });

/** Says its first message with its answer, and two in answer to a configuration: what it writes at once comes in one read. */
beforeAll(async () => {
  context.setGlobalContextManager(new AsyncLocalStorageContextManager().enable());
  instrumentation = new HttpInstrumentation({ inbound: false });
  for (const copy of [undici, undici6, undici7]) instrumentation.instrumentUndici(copy as typeof undici);
  server = createServer();
  server.on('upgrade', (request, connection, head) => {
    connection.cork();
    accepting.handleUpgrade(request, connection, head, (socket) => {
      socket.send('created');
      connection.uncork();
      socket.on('message', (data) => {
        if (String(data) === 'done') socket.close(1000);
        if (!String(data).startsWith('configure')) return;
        connection.cork();
        socket.ping();
        for (const text of ['item', 'response']) socket.send(text);
        connection.uncork();
      });
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
});

afterAll(() => {
  instrumentation.disable();
  context.disable();
  server.close();
});

let Socket: typeof WebSocket = WebSocket;
let url = '';

/** Its messages hold what it has heard when it gets to say them: code that waits goes on after everything of one read. */
const talker = agent('talker', async (): Promise<string[]> => {
  const heard: string[] = [];
  const socket = new Socket(url);
  const over = new Promise<void>((resolve) => socket.addEventListener('close', () => resolve()));
  socket.addEventListener('message', async ({ data }) => {
    heard.push(String(data));
    await undefined;
    if (data !== 'created') socket.send(`heard ${heard.join(' ')}`);
    if (data === 'response') socket.send('done');
  });
  await new Promise<void>((resolve) => socket.addEventListener('open', () => resolve()));
  socket.send(`configure after ${heard.join(' ')}`);
  await over;
  return heard;
});

describe.each<[string, unknown]>([
  ['ws', ws.WebSocket],
  ['undici 8', undici.WebSocket],
  ['undici 7', undici7?.WebSocket],
  ['undici 6', undici6?.WebSocket],
  ['the platform', WebSocket],
])('messages that come in one read, by the WebSocket of %s', (_name, made) => {
  it('come in one read in a replay, the first of all with the answer', async () => {
    Socket = made as typeof WebSocket;
    url = `ws://127.0.0.1:${(server.address() as AddressInfo).port}/`;
    let heard: string[] = [];
    const recording = await recordRun(async () => {
      heard = await talker();
    });
    expect(heard).toEqual(['created', 'item', 'response']);
    expect(recording.replayability).toEqual({ verdict: 'full', missing: [] });
    const result = await replay({ recording, run: () => talker() });
    expect(result.divergences).toEqual([]);
    expect(result.value).toEqual(heard);
  });
});
