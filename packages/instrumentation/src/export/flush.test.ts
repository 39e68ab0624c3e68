import { setTimeout } from 'node:timers/promises';
import { type ExportResult, ExportResultCode } from '@opentelemetry/core';
import type { ReadableSpan, SpanExporter } from '@opentelemetry/sdk-trace-base';
import { afterEach, describe, expect, it } from 'vitest';
import { agent, flush, gate, RecordingProcessor } from '../index.ts';
import { TapePlayer } from '../testing/index.ts';

/** An exporter whose collector is there, away, or never answers. */
class Destination implements SpanExporter {
  readonly taken: string[] = [];
  answers: 'taken' | 'away' | 'never' = 'taken';

  export(spans: ReadableSpan[], done: (result: ExportResult) => void): void {
    if (this.answers === 'taken') this.taken.push(...spans.map(({ name }) => name));
    if (this.answers !== 'never')
      done({ code: this.answers === 'taken' ? ExportResultCode.SUCCESS : ExportResultCode.FAILED });
  }

  async shutdown(): Promise<void> {
    this.answers = 'taken';
  }
}

let recorder: RecordingProcessor | undefined;
function recording(): Destination {
  const destination = new Destination();
  recorder = new RecordingProcessor(destination);
  return destination;
}

afterEach(() => {
  if (recorder !== undefined) gate.detach(recorder);
  recorder = undefined;
});

describe('flush', () => {
  it('may wait without a limit', async () => {
    const destination = recording();
    destination.answers = 'never';
    await agent('seller', async () => 'sold')();
    const flushed = flush({ timeoutMs: Number.POSITIVE_INFINITY });
    const first = await Promise.race([flushed.then(() => 'gave up'), setTimeout(20).then(() => 'waits')]);
    expect(first).toBe('waits');
  });

  it('delivers what was recorded before it resolves', async () => {
    const destination = recording();
    await agent('seller', async () => 'sold')();
    expect(destination.taken).toEqual([]);
    expect(await flush()).toEqual({ isDelivered: true });
    expect(destination.taken).toEqual(['invoke_agent seller']);
  });

  it('says so where the collector is away, and delivers the same later', async () => {
    const destination = recording();
    destination.answers = 'away';
    await agent('seller', async () => 'sold')();
    expect(await flush()).toEqual({ isDelivered: false });
    destination.answers = 'taken';
    expect(await flush()).toEqual({ isDelivered: true });
    expect(destination.taken).toEqual(['invoke_agent seller']);
  });

  it('waits no longer than it is told to for a collector that does not answer', async () => {
    const destination = recording();
    destination.answers = 'never';
    await agent('seller', async () => 'sold')();
    expect(await flush({ timeoutMs: 20 })).toEqual({ isDelivered: false });
  });

  it('resolves at once where nothing is recorded, and in a replay', async () => {
    expect(await flush()).toEqual({ isDelivered: true });
    const destination = recording();
    destination.answers = 'never';
    await agent('seller', async () => 'sold')();
    expect(await new TapePlayer([]).during(() => flush())).toEqual({ isDelivered: true });
  });
});
