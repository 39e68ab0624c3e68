import { context as contexts } from '@opentelemetry/api';
import { AsyncLocalStorageContextManager } from '@opentelemetry/context-async-hooks';
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http';
import type { RunningCollector } from '@reenact/collector';
import { createCollectorClient } from '@reenact/collector-client';
import { assembleRecording } from '@reenact/dialects';
import { agent, gate, RecordingProcessor, tool } from '@reenact/instrumentation';
import { decodeValue, type Recording } from '@reenact/trace-model';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Testbed } from '../testbed.ts';

const CASE_TIMEOUT_MS = 180_000;
const sizeBytes = 50 * 1024 * 1024;

const testbed = new Testbed();
let collector: RunningCollector;
beforeAll(async () => {
  contexts.setGlobalContextManager(new AsyncLocalStorageContextManager().enable());
  collector = await testbed.start();
});
afterAll(async () => {
  contexts.disable();
  await testbed.dispose();
});

/** What the collector, with the limits it comes with, has of a run whose tool gave this. */
async function recordingOf(result: unknown): Promise<Recording> {
  const processor = new RecordingProcessor(new OTLPTraceExporter({ url: `${collector.httpUrl}/v1/traces` }));
  gate.configure({ recorder: processor, tracerProvider: undefined });
  const fetchAll = tool('fetch_all', async () => result, { effect: 'read' });
  const count = tool('count', async () => 1, { effect: 'read' });
  await agent('reader', async () => {
    await fetchAll();
    await count();
  })();
  await processor.shutdown();
  const client = createCollectorClient({ url: collector.httpUrl });
  const { runs } = await client.listRuns({ limit: 1 });
  return assembleRecording(await client.getRecording(runs[0]?.traceId ?? ''));
}

const named = ({ crossings }: Recording, name: string) => crossings.find((crossing) => crossing.name === name);

describe('a result of 50 MB, through the collector as it comes', () => {
  it('is recorded as it is', { timeout: CASE_TIMEOUT_MS }, async () => {
    const result = 'x€'.repeat(sizeBytes / 4);
    const recording = await recordingOf(result);
    const { outcome } = named(recording, 'fetch_all') ?? {};
    const value = outcome?.type === 'returned' ? outcome.value : undefined;
    expect(value === undefined ? undefined : decodeValue(value) === result).toBe(true);
    expect(recording.replayability).toEqual({ verdict: 'full', missing: [] });
  });

  it('is a named cold case where it is beyond the limit of a request, and the rest of the run is whole', {
    timeout: CASE_TIMEOUT_MS,
  }, async () => {
    const recording = await recordingOf({ text: '"'.repeat(sizeBytes) });
    expect(named(recording, 'count')?.outcome).toMatchObject({ type: 'returned' });
    expect(named(recording, 'fetch_all')?.outcome).toMatchObject({ type: 'returned' });
    const { verdict, missing } = recording.replayability;
    expect(verdict).toBe('cold');
    expect(missing.map(({ cause, detail }) => [cause, detail])).toEqual([
      ['no-outcome', undefined],
      ['lossy', '/ reenact.output too large for the receiver'],
    ]);
  });
});
