import { once } from 'node:events';
import { connect } from 'node:http2';
import { deflateSync, gzipSync, zstdCompressSync } from 'node:zlib';
import { status } from '@grpc/grpc-js';
import type { RunningCollector } from '@reenact/collector';
import { encodeTracesProtobuf } from '@reenact/otlp';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { makeSpan, spanIdOf, Testbed, traceIdOf, wrapSpans } from '../testbed.ts';

const EXPORT = '/opentelemetry.proto.collector.trace.v1.TraceService/Export';
const LIMIT = 1_000_000;
const testbed = new Testbed();
const lines: string[] = [];
let collector: RunningCollector;
beforeAll(async () => {
  collector = await testbed.start({ requestBytesMax: LIMIT }, { log: (line) => lines.push(line) });
});
afterAll(() => testbed.dispose());

/** Sends one message that is compressed in a way, and gives the status of the call. */
async function sendEncoded(encoding: string | undefined, content: Uint8Array, flag = 1): Promise<number> {
  const session = connect(collector.grpcUrl);
  const call = session.request({
    ':method': 'POST',
    ':path': EXPORT,
    'content-type': 'application/grpc',
    ...(encoding === undefined ? {} : { 'grpc-encoding': encoding }),
    te: 'trailers',
  });
  const prefix = Buffer.alloc(5);
  prefix.writeUInt8(flag);
  prefix.writeUInt32BE(content.length, 1);
  let ended: unknown;
  for (const event of ['response', 'trailers'])
    call.on(event, (headers: Record<string, unknown>) => {
      ended ??= headers['grpc-status'];
    });
  call.resume();
  call.end(Buffer.concat([prefix, content]));
  await once(call, 'close');
  session.close();
  return Number(ended);
}

function bytesOf(number: number): Uint8Array {
  return encodeTracesProtobuf(wrapSpans([makeSpan({ traceId: traceIdOf(number), spanId: spanIdOf(number) })]));
}

describe('a message over gRPC', () => {
  it.each([
    ['gzip', 1, gzipSync],
    ['deflate', 2, deflateSync],
    ['zstd', 3, zstdCompressSync],
  ] as const)('is taken as %s', async (encoding, number, compress) => {
    expect(await sendEncoded(encoding, compress(bytesOf(number)))).toBe(status.OK);
    expect((await fetch(`${collector.httpUrl}/api/v1/recordings/${spanIdOf(number)}`)).status).toBe(200);
  });

  it.each([
    ['in an encoding that is not known', 'snappy', Buffer.from('abc'), status.UNIMPLEMENTED, 'unsupported'],
    ['that is damaged', 'zstd', Buffer.from('abc'), status.INVALID_ARGUMENT, 'bad-request'],
    ['that is too large', 'zstd', zstdCompressSync(Buffer.alloc(LIMIT * 50)), status.RESOURCE_EXHAUSTED, 'too-large'],
  ])('%s is refused, counted and told', async (_, encoding, content, code, refused) => {
    expect(await sendEncoded(encoding, content)).toBe(code);
    expect((await collector.stats()).received.refusedRequests[refused]).toBe(1);
    const told = lines.map((line) => JSON.parse(line) as Record<string, unknown>);
    expect(told).toContainEqual(
      expect.objectContaining({ event: 'requests refused', code: refused, transport: 'grpc' }),
    );
  });

  it.each([
    ['as it is and names no encoding', undefined, 1, bytesOf(4)],
    ['by gzip and names no encoding', undefined, 1, gzipSync(bytesOf(5))],
    ['as it is and says so', 'identity', 1, bytesOf(6)],
    ['with a mark that is none', 'gzip', 2, gzipSync(bytesOf(7))],
  ])('that is marked as compressed, is sent %s, is not guessed at', async (_, encoding, flag, content) => {
    const { refusedRequests: before } = (await collector.stats()).received;
    expect(await sendEncoded(encoding, content, flag)).toBe(status.INTERNAL);
    const { refusedRequests: after } = (await collector.stats()).received;
    expect((after['bad-request'] ?? 0) - (before['bad-request'] ?? 0)).toBe(1);
  });
});
