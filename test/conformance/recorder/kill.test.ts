import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http';
import { openStore, type RunningCollector } from '@reenact/collector';
import { type CollectorClient, createCollectorClient } from '@reenact/collector-client';
import { assembleRecording } from '@reenact/dialects';
import { deliverLeftovers, destinationKey, listSpoolFolders, thisOwner } from '@reenact/instrumentation';
import { type Crossing, decodeValue, digestOf, isIntact, type Recording } from '@reenact/trace-model';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { spansOf, Testbed } from '../testbed.ts';
import { killOnce } from './kill-round.ts';
import { textOf, type Witness } from './killed-run.ts';
import { replayKilled } from './replay-killed.ts';

/** 20 in every run of the tests, 200 in the heavy ones. */
const ROUNDS = Number(process.env.REENACT_TEST_KILLS ?? '20');
/** REENACT_TEST_SEED repeats a run. */
const SEED = Number(process.env.REENACT_TEST_SEED ?? Date.now() % 1_000_000);
const AT_ONCE = 6;
/** Below this a crossing's frame is smaller than 64 KiB, whatever else is in it. */
const FRAME_CHARACTERS = 60_000;
/** Nothing listens there. */
const AWAY_URL = 'http://127.0.0.1:9';

let testbed: Testbed;
let collector: RunningCollector;
let dataDirectory: string;
let scratch: string;
beforeEach(async () => {
  testbed = new Testbed();
  dataDirectory = await testbed.directory();
  scratch = await testbed.directory();
  mkdirSync(join(scratch, 'spool'), { mode: 0o700 });
  collector = await testbed.start({ dataDirectory });
});
afterEach(() => testbed.dispose());

/** Rounds in which the collector is there, and rounds in which it is away, in turn. */
async function killAll(): Promise<Witness[]> {
  const witnesses: Witness[] = [];
  let next = 0;
  const work = async (): Promise<void> => {
    for (let number = next++; number < ROUNDS; number = next++) {
      const exportUrl = number % 2 === 0 ? collector.httpUrl : AWAY_URL;
      const round = {
        number,
        seed: SEED + number,
        exportUrl,
        spoolFolder: join(scratch, 'spool'),
        scratchFolder: scratch,
      };
      witnesses.push(...(await killOnce(round)));
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, work));
  return witnesses;
}

async function recover(): Promise<void> {
  for (const url of [collector.httpUrl, AWAY_URL]) {
    const exporter = new OTLPTraceExporter({ url: `${collector.httpUrl}/v1/traces` });
    const owner = thisOwner(destinationKey(`${url}/v1/traces`));
    const result = await deliverLeftovers({ place: join(scratch, 'spool'), owner, exporter });
    expect(result).toMatchObject({ isDone: true, cut: 0, refused: 0, unreadable: 0, segmentsGivenUp: 0 });
    await exporter.shutdown();
  }
  expect(listSpoolFolders(join(scratch, 'spool'), thisOwner('').scope)).toEqual([]);
}

async function recordingOf(client: CollectorClient, traceId: string): Promise<Recording> {
  const data = await client.getRecording(traceId);
  const spanIds = spansOf(data).map(({ spanId }) => spanId);
  expect(new Set(spanIds).size).toBe(spanIds.length);
  return assembleRecording(data);
}

function expectWhole({ id, characters }: Witness, { outcome, input, damage }: Crossing): void {
  expect(damage).toEqual([]);
  expect(input === undefined ? undefined : decodeValue(input)).toEqual([{ id, size: characters }]);
  const value = outcome.type === 'returned' ? outcome.value : undefined;
  expect(value !== undefined && isIntact(value)).toBe(true);
  expect(value === undefined ? undefined : decodeValue(value)).toEqual({
    id,
    text: textOf(id, characters),
  });
}

/** Told apart from whole ones, so that a recorder which leaves every large one pending is seen. */
function isPending({ id, characters }: Witness, { attributes, outcome }: Crossing): boolean {
  if (outcome.type !== 'pending') return false;
  const text = JSON.stringify({ id, text: textOf(id, characters) });
  expect(attributes.get('reenact.output.digest')).toBe(digestOf(text));
  return true;
}

async function check(witnesses: readonly Witness[]): Promise<{ whole: number; pending: number }> {
  const client = createCollectorClient({ url: collector.httpUrl });
  const counts = { whole: 0, pending: 0 };
  for (const [traceId, ofTrace] of Map.groupBy(witnesses, ({ traceId: id }) => id)) {
    const recording = await recordingOf(client, traceId);
    const crossings = recording.bySpanId;
    for (const witness of ofTrace) {
      const crossing = crossings.get(witness.spanId);
      if (crossing === undefined) throw new Error(`lost, with seed ${SEED}: ${JSON.stringify(witness)}`);
      if (witness.characters > FRAME_CHARACTERS && isPending(witness, crossing)) {
        counts.pending += 1;
        continue;
      }
      expectWhole(witness, crossing);
      counts.whole += 1;
    }
    await replayKilled(recording, ofTrace);
  }
  return counts;
}

/** Those of which the store, which nobody else has open, was told in more than one way. */
async function toldTwice(witnesses: readonly Witness[]): Promise<(Witness | string)[]> {
  const bySpanId = new Map(witnesses.map((witness) => [witness.spanId, witness]));
  const store = await openStore(dataDirectory);
  const doubled: (Witness | string)[] = [];
  for (const traceId of new Set(witnesses.map((witness) => witness.traceId))) {
    const spans = await store.readTrace('default', traceId);
    for (const { spanId, versions } of spans) if (versions !== 1) doubled.push(bySpanId.get(spanId) ?? spanId);
  }
  await store.close();
  return doubled;
}

describe(`${ROUNDS} processes killed at random moments, seed ${SEED}`, () => {
  it('leave every crossing whose result the host had, once, and each run can be replayed', {
    timeout: 1_800_000,
  }, async () => {
    const witnesses = await killAll();
    expect(witnesses.length).toBeGreaterThan(ROUNDS * 10);
    await recover();
    const { whole, pending } = await check(witnesses);
    expect(whole + pending).toBe(witnesses.length);
    // A few were on their way to the disk; the others are whole.
    expect(pending).toBeLessThan(whole / 20);
    await collector.stop();
    expect(await toldTwice(witnesses)).toEqual([]);
  });
});
