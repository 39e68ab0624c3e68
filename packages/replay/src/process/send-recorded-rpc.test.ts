import { once } from 'node:events';
import { createServer, type Http2Server, type IncomingHttpHeaders, type ServerHttp2Stream } from 'node:http2';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';
import { afterEach, describe, expect, it } from 'vitest';
import { type SentRpc, sendRecordedRpc } from './send-recorded-rpc.ts';

const servers: Http2Server[] = [];
afterEach(async () => {
  for (const server of servers.splice(0)) await new Promise<void>((resolve) => server.close(() => resolve()));
});

async function listen(
  onStream: (stream: ServerHttp2Stream, headers: IncomingHttpHeaders) => void,
): Promise<SentRpc['place']> {
  const server = createServer().on('stream', onStream);
  servers.push(server);
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return { protocol: 'grpc', address: '127.0.0.1', port, verifiesCertificate: false };
}

const call = {
  method: '/a.B/C',
  messages: [Buffer.from([1, 2]), Buffer.alloc(0)],
  metadata: [
    ['x-tag', 'one'],
    ['x-tag', 'two'],
    ['x-token', 'recorded'],
    ['grpc-timeout', '1S'],
  ],
  withheld: [],
} as const;
const never = new AbortController().signal;

describe('a recorded call that is sent', () => {
  it('has its messages framed, its metadata in order, and headers in place of recorded ones', async () => {
    const seen: unknown[] = [];
    const place = await listen(async (stream, headers) => {
      seen.push(headers[':path'], headers['x-tag'], headers['x-token'], headers['grpc-timeout'], headers.te);
      seen.push([...(await buffer(stream))]);
      stream.respond({ 'grpc-status': '5' }, { endStream: true });
    });
    expect(await sendRecordedRpc({ place, call, headers: { 'X-Token': 'mine' }, signal: never })).toEqual({
      statusCode: 5,
    });
    const frames = [0, 0, 0, 0, 2, 1, 2, 0, 0, 0, 0, 0];
    expect(seen).toEqual(['/a.B/C', 'one, two', 'mine', undefined, 'trailers', frames]);
  });

  it('has the status of its trailers, after all messages', async () => {
    const place = await listen((stream) => {
      stream.respond({ ':status': 200 }, { waitForTrailers: true });
      stream.on('wantTrailers', () => stream.sendTrailers({ 'grpc-status': '0' }));
      stream.end(Buffer.alloc(100_000));
    });
    expect(await sendRecordedRpc({ place, call, headers: {}, signal: never })).toEqual({ statusCode: 0 });
  });

  it('says why it was not answered', async () => {
    const place = await listen((stream) => stream.on('error', () => undefined).close(2));
    expect(await sendRecordedRpc({ place, call, headers: {}, signal: never })).toEqual({
      failure: expect.stringContaining('INTERNAL_ERROR'),
    });
    const gone: SentRpc['place'] = { protocol: 'grpc', address: '127.0.0.1', port: 1, verifiesCertificate: false };
    expect(await sendRecordedRpc({ place: gone, call, headers: {}, signal: never })).toEqual({
      failure: expect.stringContaining('ECONNREFUSED'),
    });
  });

  it('is called off when its caller gives up', async () => {
    const giving = new AbortController();
    const closed: Promise<number>[] = [];
    const place = await listen((stream) => {
      closed.push(once(stream, 'close').then(() => stream.rstCode));
      stream.on('error', () => undefined);
      giving.abort();
    });
    expect(await sendRecordedRpc({ place, call, headers: {}, signal: giving.signal })).toEqual({});
    expect(await closed[0]).toBe(8);
  });
});
