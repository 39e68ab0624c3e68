import { cpSync, existsSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setImmediate as turn } from 'node:timers/promises';
import { ExportResultCode } from '@opentelemetry/core';
import { JsonTraceSerializer } from '@opentelemetry/otlp-transformer';
import type { ReadableSpan } from '@opentelemetry/sdk-trace-base';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { deliverLeftovers, deliverSpoolFolder, destinationKey, thisOwner, tool } from '../index.ts';
import { FlakyExporter, SpooledHost } from '../testdata/spooled-host.ts';
import { SpoolSegment } from './spool-segment.ts';

let host: SpooledHost;
afterEach(async () => {
  vi.restoreAllMocks();
  await host.stop();
});

/** Copies of what is on the disk at some moments: what another process would find if this one died then. */
class Moments {
  private readonly copies: string[] = [];

  keep(): void {
    const { directory } = host.processor.spoolState() ?? {};
    if (directory === undefined || !existsSync(directory)) return;
    const copy = join(host.directory, `copy-${this.copies.length}`);
    cpSync(directory, copy, { recursive: true });
    this.copies.push(copy);
  }

  async delivered(): Promise<(readonly ReadableSpan[])[]> {
    const delivered: (readonly ReadableSpan[])[] = [];
    for (const copy of this.copies) {
      const exporter = new FlakyExporter();
      await deliverSpoolFolder(copy, exporter);
      delivered.push(exporter.taken);
    }
    return delivered;
  }
}

/** Crossings that are open when the loop turns, so that their start is written down; every third is larger than a frame. */
async function work(): Promise<void> {
  const step = tool('step', async (index: number) => {
    await turn();
    return String(index).repeat(index % 3 === 0 ? 3_000 : 20);
  });
  for (let index = 10; index < 40; index += 1) await step(index);
}

function bytesOf(span: ReadableSpan): string {
  return Buffer.from(JsonTraceSerializer.serializeRequest([span]) ?? []).toString('utf8');
}

describe('a process that dies at the moment', () => {
  it('in which it exports leaves what the collector then has, byte for byte', async () => {
    host = new SpooledHost({ batchSpansMax: 7, spool: { frameBytesMax: 4_000 } });
    const moments = new Moments();
    const batches: ReadableSpan[][] = [];
    const deliver = host.exporter.export.bind(host.exporter);
    vi.spyOn(host.exporter, 'export').mockImplementation((spans, done) => {
      moments.keep();
      batches.push(spans);
      deliver(spans, done);
    });
    await work();
    await host.processor.forceFlush();
    expect(batches.flat()).toHaveLength(30);
    for (const [index, left] of (await moments.delivered()).entries()) {
      const bytes = new Map(left.map((span) => [span.spanContext().spanId, bytesOf(span)]));
      const others = batches[index]?.filter((span) => bytes.get(span.spanContext().spanId) !== bytesOf(span));
      expect(others?.map(({ attributes }) => attributes['reenact.input'])).toEqual([]);
    }
  });

  it('in the middle of a stream leaves a crossing that had not ended, and none that the host has called off', async () => {
    host = new SpooledHost();
    const count = tool('count', async function* () {
      for (let index = 0; index < 9; index += 1) {
        yield index;
        await turn();
      }
    });
    const moments = new Moments();
    for await (const _ of count()) moments.keep();
    const left = (await moments.delivered()).flat().map(({ attributes }) => attributes['reenact.outcome']);
    expect(left.length).toBeGreaterThan(5);
    expect(new Set(left)).toEqual(new Set(['pending']));
  });

  it('in which a file of delivered spans goes tells of no start whose end was delivered', async () => {
    host = new SpooledHost({ spool: { frameBytesMax: 4_000, segmentBytesMax: 5_000 } });
    host.exporter.isAway = true;
    const moments = new Moments();
    await work();
    host.exporter.isAway = false;
    const remove = SpoolSegment.prototype.remove;
    const removals = vi.spyOn(SpoolSegment.prototype, 'remove').mockImplementation(function (this: SpoolSegment) {
      moments.keep();
      remove.call(this);
      moments.keep();
    });
    await host.processor.forceFlush();
    expect(removals.mock.calls.length).toBeGreaterThan(10);
    expect((await moments.delivered()).flat()).toEqual([]);
  });
});

describe('what is left and too large for the collector', () => {
  it('is delivered without its payloads, and counted', async () => {
    host = new SpooledHost();
    host.exporter.isAway = true;
    tool('large', () => 'x'.repeat(400_000), { effect: 'none' })();
    await vi.waitFor(() => expect(host.processor.spoolState()?.sizeBytes).toBeGreaterThan(400_000), {
      timeout: 20_000,
    });
    const exporter = new FlakyExporter();
    const take = exporter.export.bind(exporter);
    vi.spyOn(exporter, 'export').mockImplementation((spans, done) => {
      if (spans.map(bytesOf).join('').length < 100_000) take(spans, done);
      else done({ code: ExportResultCode.FAILED, error: Object.assign(new Error('Payload Too Large'), { code: 413 }) });
    });
    const { directory = '' } = host.processor.spoolState() ?? {};
    expect(await deliverSpoolFolder(directory, exporter)).toMatchObject({
      delivered: 1,
      cut: 1,
      refused: 0,
      isDone: true,
    });
    expect(exporter.taken[0]?.attributes).toMatchObject({ 'reenact.capture': 'digest', 'reenact.outcome': 'returned' });
  });
});

describe('a folder that a process died over while it removed it', () => {
  it('is read by nobody, and removed by the next one', async () => {
    host = new SpooledHost({ spool: { segmentBytesMax: 5_000 } });
    host.exporter.isAway = true;
    await work();
    const { directory = '' } = host.processor.spoolState() ?? {};
    const half = `${directory}.delivered`;
    mkdirSync(half);
    cpSync(join(directory, '00000001.rsp'), join(half, '00000001.rsp'));
    writeFileSync(join(host.directory, 'not-a-spool'), '');
    const exporter = new FlakyExporter();
    const owner = thisOwner(destinationKey('http://127.0.0.1:1/v1/traces'));
    expect(await deliverLeftovers({ place: host.directory, owner, exporter })).toMatchObject({
      delivered: 0,
      isDone: true,
    });
    expect([existsSync(half), existsSync(directory), existsSync(join(host.directory, 'not-a-spool'))]).toEqual([
      false,
      true,
      true,
    ]);
    rmSync(join(host.directory, 'not-a-spool'));
  });
});
