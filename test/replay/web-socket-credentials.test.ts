import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { context } from '@opentelemetry/api';
import { AsyncLocalStorageContextManager } from '@opentelemetry/context-async-hooks';
import { HttpInstrumentation } from '@reenact/instrumentation-http';
import { replay } from '@reenact/replay';
import { agent } from 'reenact';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { WebSocketServer, WebSocket as WsSocket } from 'ws';
import { recordRun } from './recorded-run.ts';

const key = '0123456789abcdef0123456789abcdef01234567';

let instrumentation: HttpInstrumentation;

beforeAll(() => {
  context.setGlobalContextManager(new AsyncLocalStorageContextManager().enable());
  instrumentation = new HttpInstrumentation({ inbound: false });
});

afterAll(() => {
  instrumentation.disable();
  context.disable();
});

/** Takes the subprotocol in one place of the list, and says one word. */
async function startServer(place: number): Promise<{ url: string; stop(): Promise<void> }> {
  const handleProtocols = (names: Set<string>): string => [...names].at(place) ?? '';
  const server = new WebSocketServer({ port: 0, host: '127.0.0.1', handleProtocols });
  server.on('connection', (socket) => socket.send('welcome'));
  await once(server, 'listening');
  const stop = async (): Promise<void> => {
    for (const client of server.clients) client.terminate();
    await new Promise((resolve) => server.close(resolve));
  };
  return { url: `ws://127.0.0.1:${(server.address() as AddressInfo).port}/listen`, stop };
}

const classes = [
  ['of the platform', WebSocket],
  ['of ws', WsSocket as unknown as typeof WebSocket],
] as const;

describe.each(classes)('a WebSocket %s that is opened with a key for a subprotocol', (_name, Kind) => {
  const listen = (url: string, protocols: readonly string[]) =>
    agent('listener', async () => {
      const socket = new Kind(url, [...protocols]);
      const word = await new Promise((resolve, reject) => {
        socket.onmessage = ({ data }: MessageEvent) => resolve(data);
        socket.onerror = () => reject(new Error('no conversation'));
      });
      const closed = new Promise((resolve) => {
        socket.onclose = resolve;
      });
      socket.close();
      await closed;
      return `${word} by ${socket.protocol}`;
    });

  it.each([
    ['takes the name before it', ['token', key], 0],
    ['takes the key itself', ['token', key], 1],
    ['is asked with nothing else', [key], 0],
  ] as const)('is recorded without the key, and replayed: its server %s', async (_how, protocols, place) => {
    const server = await startServer(place);
    let said: unknown;
    const run = listen(server.url, protocols);
    const recording = await recordRun(async () => {
      said = await run();
    });
    await server.stop();
    expect(said).toBe(`welcome by ${protocols[place]}`);
    const text = JSON.stringify(recording.crossings.map(({ input, exchanges }) => ({ input, exchanges })));
    expect([text.includes(key), /sec-websocket-protocol/i.test(text)]).toEqual([false, true]);
    const result = await replay({ recording, run });
    expect([result.verdict, result.value]).toEqual(['reproduced', said]);
  });
});
