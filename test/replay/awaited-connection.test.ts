import { once } from 'node:events';
import { type ClientRequest, createServer, type IncomingMessage, request, type Server } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { text } from 'node:stream/consumers';
import { context } from '@opentelemetry/api';
import { AsyncLocalStorageContextManager } from '@opentelemetry/context-async-hooks';
import { HttpInstrumentation } from '@reenact/instrumentation-http';
import { replay } from '@reenact/replay';
import { agent } from 'reenact';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { recordRun } from './recorded-run.ts';

let instrumentation: HttpInstrumentation;
let server: Server;
let answered = 0;

beforeAll(async () => {
  context.setGlobalContextManager(new AsyncLocalStorageContextManager().enable());
  instrumentation = new HttpInstrumentation({ inbound: false });
  server = createServer(async (incoming, response) => {
    answered += 1;
    response.end(`heard ${await text(incoming)}`);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
});

afterAll(() => {
  instrumentation.disable();
  context.disable();
  server.close();
});

/** How code of today's clients waits for a connection before it sends a body. */
const ways: Readonly<Record<string, (socket: Socket, send: () => void) => void>> = {
  'its state, else the event': (socket, send) => {
    if (socket.readyState === 'open') send();
    else socket.once('connect', send);
  },
  'whether it is pending, else the event': (socket, send) => {
    if (!socket.pending) send();
    else socket.once('ready', send);
  },
  'the event alone, of a new connection': (socket, send) => {
    socket.once('connect', send);
  },
};

async function ask(way: string): Promise<string> {
  const { port } = server.address() as AddressInfo;
  const asking: ClientRequest = request({ host: '127.0.0.1', port, method: 'POST', agent: false });
  asking.flushHeaders();
  asking.on('socket', (socket) => ways[way]?.(socket, () => asking.end('a question')));
  const [response] = (await once(asking, 'response', { signal: AbortSignal.timeout(5000) })) as [IncomingMessage];
  return text(response);
}

describe.each(Object.keys(ways))('a client that waits for its connection before it sends: %s', (way) => {
  it('is answered in a replay', async () => {
    const asker = agent('asker', () => ask(way));
    let heard = '';
    const recording = await recordRun(async () => {
      heard = await asker();
    });
    expect(heard).toBe('heard a question');
    const before = answered;
    const result = await replay({ recording, run: () => asker() });
    expect(result.divergences).toEqual([]);
    expect(result.value).toBe(heard);
    expect(answered).toBe(before);
  });
});
