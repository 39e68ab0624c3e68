import { rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import type { RunningCollector } from '@reenact/collector';
import { describe, expect, it } from 'vitest';
import { eventually, makeSpan, postSpans, spanIdOf, Testbed } from '../testbed.ts';
import { canMount, mountSmallDisk, unmount } from './small-disk.ts';

type Grpc = typeof import('@grpc/grpc-js');
const grpc: Grpc = createRequire(new URL('../../../collector/package.json', import.meta.url))('@grpc/grpc-js') as Grpc;

const SERVING = 1;
const NOT_SERVING = 2;

/** The status of a service as `grpc.health.v1.Health` gives it. */
function grpcHealth({ grpcUrl }: RunningCollector, service: string): Promise<number | undefined> {
  const client = new grpc.Client(new URL(grpcUrl).host, grpc.credentials.createInsecure());
  const keep = (bytes: Buffer) => bytes;
  const body = Buffer.concat([Buffer.from([0x0a, service.length]), Buffer.from(service)]);
  return new Promise((resolve) => {
    client.makeUnaryRequest('/grpc.health.v1.Health/Check', keep, keep, body, (_, answer) => {
      client.close();
      resolve(answer?.[1]);
    });
  });
}

/** What those who watch a service are told, one after the other. */
function watchHealth({ grpcUrl }: RunningCollector, service: string): { readonly told: number[]; end(): void } {
  const client = new grpc.Client(new URL(grpcUrl).host, grpc.credentials.createInsecure());
  const keep = (bytes: Buffer) => bytes;
  const body = Buffer.concat([Buffer.from([0x0a, service.length]), Buffer.from(service)]);
  const told: number[] = [];
  const stream = client.makeServerStreamRequest('/grpc.health.v1.Health/Watch', keep, keep, body);
  stream.on('data', (part: Buffer) => told.push(part[1] ?? -1)).on('error', () => undefined);
  return { told, end: () => client.close() };
}

async function health({ httpUrl }: RunningCollector, query = '') {
  const response = await fetch(`${httpUrl}/health/ready${query}`);
  return { status: response.status, body: (await response.json()) as Record<string, unknown> };
}

async function metric({ httpUrl }: RunningCollector): Promise<string | undefined> {
  const text = await (await fetch(`${httpUrl}/metrics`)).text();
  return /^reenact_collector_store_refusing (\d)$/m.exec(text)?.[1];
}

/** Sends until a request is refused, each smaller than what health asks for. */
async function fill({ httpUrl }: RunningCollector): Promise<void> {
  for (let number = 1; ; number += 1) {
    const span = makeSpan({ spanId: spanIdOf(number), name: `${number} `.repeat(10_000) });
    if ((await postSpans(httpUrl, [span])).status === 503) return;
  }
}

const TRACES = 'opentelemetry.proto.collector.trace.v1.TraceService';

// Its name says when it did not run: mounting needs rights that not every machine gives.
describe.runIf(canMount)('health on a disk that is full (needs the right to mount)', () => {
  it('says that requests are refused, while it serves what is stored, and when they are taken again', {
    timeout: 120_000,
  }, async () => {
    const place = mountSmallDisk() ?? '';
    const testbed = new Testbed();
    try {
      const ballast = join(place, 'ballast');
      writeFileSync(ballast, Buffer.alloc(6 * 1024 * 1024, 1));
      const collector = await testbed.start({ dataDirectory: join(place, 'data') });
      expect(await health(collector)).toEqual({ status: 200, body: { status: 'ready', ingest: 'taken' } });
      expect(await health(collector, '?for=ingest')).toMatchObject({ status: 200 });
      expect(await metric(collector)).toBe('0');
      const [watched, whole] = [watchHealth(collector, TRACES), watchHealth(collector, '')];
      await eventually('a first status', async () => watched.told.length > 0);
      await fill(collector);
      expect(await metric(collector)).toBe('1');
      expect(await health(collector)).toEqual({
        status: 200,
        body: { status: 'ready', ingest: 'refused', reason: expect.stringMatching(/full/), next: expect.any(String) },
      });
      const refused = { error: { code: 'store-failed', message: expect.stringMatching(/full/) } };
      expect(await health(collector, '?for=ingest')).toMatchObject({ status: 503, body: refused });
      expect(await grpcHealth(collector, '')).toBe(SERVING);
      expect(await grpcHealth(collector, TRACES)).toBe(NOT_SERVING);
      await eventually('the change', async () => watched.told.length > 1);
      rmSync(ballast);
      // Without any request: nobody may be sending any more.
      await eventually('the metric', async () => (await metric(collector)) === '0');
      expect(await health(collector, '?for=ingest')).toMatchObject({ status: 200, body: { ingest: 'taken' } });
      expect(await grpcHealth(collector, TRACES)).toBe(SERVING);
      await eventually('the change back', async () => watched.told.length > 2);
      expect([watched.told, whole.told]).toEqual([[SERVING, NOT_SERVING, SERVING], [SERVING]]);
      for (const { end } of [watched, whole]) end();
    } finally {
      await testbed.dispose();
      unmount(place);
    }
  });
});

describe('a question about health', () => {
  it('is refused where it asks for something that there is not', async () => {
    const testbed = new Testbed();
    const collector = await testbed.start();
    expect(await health(collector, '?for=breakfast')).toMatchObject({
      status: 400,
      body: { error: { message: expect.stringContaining('for'), next: expect.stringContaining('for=ingest') } },
    });
    await testbed.dispose();
  });
});
