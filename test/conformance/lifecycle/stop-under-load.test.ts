import { createRequire } from 'node:module';
import { openStore } from '@reenact/collector';
import { encodeTracesProtobuf } from '@reenact/otlp';
import { afterEach, describe, expect, it } from 'vitest';
import { makeSpan, postSpans, spanIdOf, Testbed, wrapSpans } from '../testbed.ts';

type Grpc = typeof import('@grpc/grpc-js');
const grpc: Grpc = createRequire(new URL('../../../collector/package.json', import.meta.url))('@grpc/grpc-js') as Grpc;
const TRACES = '/opentelemetry.proto.collector.trace.v1.TraceService/Export';

const testbed = new Testbed();
afterEach(() => testbed.dispose());

describe('a stop under load', () => {
  it('keeps everything that was acknowledged over HTTP and gRPC, and nothing twice', async () => {
    const { httpUrl, grpcUrl, dataDirectory, stop } = await testbed.start();
    const client = new grpc.Client(new URL(grpcUrl).host, grpc.credentials.createInsecure());
    const acknowledged = new Set<string>();
    let isOver = false;
    let next = 0;
    const byHttp = async (id: string) => (await postSpans(httpUrl, [makeSpan({ spanId: id })])).status === 200;
    const byGrpc = (id: string) =>
      new Promise<boolean>((resolve) => {
        const body = Buffer.from(encodeTracesProtobuf(wrapSpans([makeSpan({ spanId: id })])));
        const keep = (bytes: Buffer) => bytes;
        client.makeUnaryRequest(TRACES, keep, keep, body, (error) => resolve(error === null));
      });
    const sender = async (send: (id: string) => Promise<boolean>) => {
      while (!isOver) {
        const id = spanIdOf(next++);
        const isTaken = await send(id).catch(() => false);
        if (isTaken) acknowledged.add(id);
        else return;
      }
    };
    const senders = [byHttp, byHttp, byHttp, byHttp, byGrpc, byGrpc, byGrpc, byGrpc].map(sender);
    while (acknowledged.size < 60) await new Promise((resolve) => setImmediate(resolve));
    await stop();
    isOver = true;
    client.close();
    await Promise.all(senders);
    const store = await openStore(dataDirectory);
    const spans = await store.readTrace('default', makeSpan().traceId);
    await store.close();
    const stored = new Set(spans.map(({ spanId }) => spanId));
    expect([...acknowledged].filter((id) => !stored.has(id))).toEqual([]);
    expect(stored.size).toBe(spans.length);
  });
});
