import { once } from 'node:events';
import { connect as connectHttp2 } from 'node:http2';
import { connect } from 'node:net';
import { openStore, ReloadableCollector } from '@reenact/collector';
import { afterEach, expect, it } from 'vitest';
import { Testbed } from '../testbed.ts';

const testbed = new Testbed();
afterEach(() => testbed.dispose());

/** Both hold a stop up until their sender leaves. */
async function holdRequests(httpUrl: string, grpcUrl: string): Promise<() => void> {
  const socket = connect(Number(new URL(httpUrl).port), '127.0.0.1').on('error', () => undefined);
  const head = ['POST /v1/traces HTTP/1.1', 'Host: collector', 'Content-Type: application/x-protobuf'];
  socket.write([...head, 'Content-Length: 100', 'Expect: 100-continue', '', ''].join('\r\n'));
  await once(socket, 'data');
  const session = connectHttp2(grpcUrl).on('error', () => undefined);
  await once(session, 'connect');
  const path = '/opentelemetry.proto.collector.trace.v1.TraceService/Export';
  session
    .request({ ':method': 'POST', ':path': path, 'content-type': 'application/grpc', te: 'trailers' })
    .on('error', () => undefined)
    .write(Buffer.of(0, 0, 0, 0, 9));
  // Answered once what was sent before it has come.
  await new Promise((resolve) => session.ping(resolve));
  return () => {
    socket.destroy();
    session.destroy();
  };
}

it('a stop that waits for senders says so, with how many requests and connections there are', async () => {
  const told = Promise.withResolvers<Record<string, unknown>>();
  const log = (line: string) => line.includes('"stop takes long"') && told.resolve(JSON.parse(line));
  const { httpUrl, grpcUrl, stop } = await testbed.start({ limits: { stopGraceMs: 60_000 } }, { log });
  const leave = await holdRequests(httpUrl, grpcUrl);
  const stopped = stop();
  expect(await told.promise).toMatchObject({
    level: 'warn',
    seconds: 2,
    waitsFor: 'requests',
    requests: 1,
    calls: 1,
    connections: 2,
    bytesInFlight: expect.any(Number),
  });
  leave();
  await stopped;
});

it('a stop that waits for what sends to it from the same process says so', async () => {
  const told = Promise.withResolvers<Record<string, unknown>>();
  const log = (line: string) => line.includes('"stop takes long"') && told.resolve(JSON.parse(line));
  const dataDirectory = await testbed.directory();
  const collector = await ReloadableCollector.start(() => ({ dataDirectory, httpPort: 0, grpcPort: 0 }), { log });
  const { promise: ended, resolve: end } = Promise.withResolvers<void>();
  const stopped = collector.stop({ waitsFor: 'spool', ended });
  expect(await told.promise).toMatchObject({ level: 'warn', seconds: 2, waitsFor: 'spool' });
  end();
  await stopped;
});

it('a store that is closed says what it waits for', async () => {
  const parts: string[] = [];
  const store = await openStore(await testbed.directory(), { onClosing: (part) => parts.push(part) });
  await store.close();
  expect(parts).toEqual(['backup', 'settling', 'text search', 'writes']);
});
