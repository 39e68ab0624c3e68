import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { createSecureServer, type ServerHttp2Session, type ServerHttp2Stream } from 'node:http2';
import type { AddressInfo } from 'node:net';
import type { Duplex, Writable } from 'node:stream';
import { context } from '@opentelemetry/api';
import { AsyncLocalStorageContextManager } from '@opentelemetry/context-async-hooks';
import { HttpInstrumentation } from '@reenact/instrumentation-http';
import { replay } from '@reenact/replay';
import { agent } from 'reenact';
import * as undici from 'undici';
import { Agent, WebSocket } from 'undici';
import { afterAll, beforeAll, expect, it } from 'vitest';
import * as ws from 'ws';
import { recordRun } from './recorded-run.ts';

/** The reader and the writer of frames, which the types of ws leave out. */
interface Frames {
  readonly Receiver: new (options: { readonly isServer: boolean }) => Writable;
  readonly Sender: new (
    stream: Duplex,
  ) => {
    send(data: Buffer, options: object, sent: () => void): void;
    close(code: number, reason: string, mask: boolean, sent: () => void): void;
  };
}

const { Receiver, Sender } = ws as unknown as Frames;
const folder = new URL('../conformance/receiver/certificates/', import.meta.url);

let instrumentation: HttpInstrumentation;

beforeAll(() => {
  context.setGlobalContextManager(new AsyncLocalStorageContextManager().enable());
  instrumentation = new HttpInstrumentation({ inbound: false });
  instrumentation.instrumentUndici(undici);
});

afterAll(() => {
  instrumentation.disable();
  context.disable();
});

/** What an extended CONNECT opens (RFC 8441), in the hands of the reader and writer of ws. */
function converse(stream: ServerHttp2Stream): void {
  stream.respond({ ':status': 200 });
  const sender = new Sender(stream);
  const send = (text: string): void => {
    sender.send(Buffer.from(text), { binary: false, compress: false, mask: false, fin: true }, () => undefined);
  };
  const receiver = new Receiver({ isServer: true });
  receiver.on('message', (data: Buffer) => {
    send(`You said ${data}.`);
    sender.close(1000, '', false, () => stream.end());
  });
  stream.on('error', () => undefined).pipe(receiver);
  send('Welcome.');
}

async function startServer(): Promise<{ url: string; opened: () => number; stop: () => Promise<void> }> {
  const [cert, key] = await Promise.all(
    ['server.pem', 'server-key.pem'].map((name) => readFile(new URL(name, folder))),
  );
  const server = createSecureServer({ cert, key, settings: { enableConnectProtocol: true } });
  const sessions = new Set<ServerHttp2Session>();
  let opened = 0;
  server.on('session', (session) => sessions.add(session));
  server.on('stream', (stream, headers) => {
    if (headers[':protocol'] !== 'websocket') return;
    opened += 1;
    converse(stream);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const stop = async (): Promise<void> => {
    for (const session of sessions) session.destroy();
    await new Promise((resolve) => server.close(resolve));
  };
  return { url: `wss://127.0.0.1:${(server.address() as AddressInfo).port}/`, opened: () => opened, stop };
}

it('a WebSocket over HTTP/2 is recorded message by message, and replayed with its server gone', async () => {
  const server = await startServer();
  let word = 'hello';
  const talker = agent('talker', async () => {
    const dispatcher = new Agent({ allowH2: true, connect: { rejectUnauthorized: false } });
    const socket = new WebSocket(server.url, { dispatcher });
    const heard: unknown[] = [];
    socket.addEventListener('message', ({ data }) => {
      heard.push(data);
      if (heard.length === 1) socket.send(word);
    });
    const end = new Promise((resolve, reject) => {
      socket.addEventListener('close', ({ code }) => resolve(code));
      socket.addEventListener('error', ({ error }) => reject(error));
    });
    return [...heard, await end, ...heard].slice(-3);
  });
  let said: unknown;
  const recording = await recordRun(async () => {
    said = await talker();
  });
  await server.stop();
  expect([said, server.opened()]).toEqual([[1000, 'Welcome.', 'You said hello.'], 1]);
  expect(recording.replayability).toEqual({ verdict: 'full', missing: [] });
  const same = await replay({ recording, run: talker });
  expect([same.verdict, same.value]).toEqual(['reproduced', said]);
  word = 'goodbye';
  const changed = await replay({ recording, run: talker });
  expect(changed.divergences[0]).toMatchObject({ kind: 'input-changed', path: expect.stringContaining('http:SEND') });
});
