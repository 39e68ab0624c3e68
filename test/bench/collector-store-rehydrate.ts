import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openStore, type Store } from '@reenact/collector';
import { AgentConversations, seededDice, traceIdOf } from './agent-conversations.ts';
import { at99Of, type BenchResult, type BenchSize, medianOf, timedWork } from './bench-result.ts';
import { fillStore } from './store-fill.ts';

const STEPS = 20;
const GOAL_MS = 10;
const GROWTH_GOAL = 1.5;

interface Reads {
  readonly median: number;
  readonly at99: number;
  readonly processorAt99: number;
}

/** Reads random runs whole, each with all of its bytes. */
async function readRuns(store: Store, runs: number, reads: number): Promise<Reads> {
  const dice = seededDice(11);
  const times: number[] = [];
  const processor: number[] = [];
  for (let index = 0; index < reads; index += 1) {
    const { value, ms, processorMs } = await timedWork(() => store.readTrace('default', traceIdOf(dice(runs))));
    if (value.length === STEPS * 2) times.push(ms);
    processor.push(processorMs);
  }
  if (times.length < reads) return { median: Number.NaN, at99: Number.NaN, processorAt99: Number.NaN };
  return { median: medianOf(times), at99: at99Of(times), processorAt99: at99Of(processor) };
}

/** How long a 40-span run takes to read, and whether that grows with the store. */
export async function collectorStoreRehydrate({ isSmoke }: BenchSize): Promise<BenchResult> {
  const [few, many] = isSmoke ? [8, 16] : [500, 5000];
  const reads = isSmoke ? 10 : 1000;
  const directory = mkdtempSync(join(tmpdir(), 'reenact-bench-rehydrate-'));
  const conversations = new AgentConversations({ steps: STEPS, textCharactersMax: 1000 });
  const store = await openStore(directory);
  try {
    const first = await fillStore(store, conversations, 0, few);
    await store.settle();
    const small = await readRuns(store, few, reads);
    const second = await fillStore(store, conversations, few, many - few);
    await store.settle();
    const large = await readRuns(store, many, reads);
    const spans = first.spans + second.spans;
    const growth = large.at99 / small.at99;
    return {
      name: 'rehydrate',
      what: `${reads} random runs of ${STEPS * 2} spans read whole, at ${first.spans} and at ${spans} spans (${((first.rawBytes + second.rawBytes) / 1e9).toFixed(1)} GB as received), settled`,
      figures: [
        { name: `at ${first.spans} spans, median`, value: small.median, unit: 'ms' },
        { name: `at ${first.spans} spans, 99th percentile`, value: small.at99, unit: 'ms' },
        {
          name: `at ${spans} spans, median`,
          value: large.median,
          unit: 'ms',
          goal: { words: `below ${GOAL_MS} ms`, isMet: large.median < GOAL_MS },
        },
        { name: `at ${spans} spans, 99th percentile`, value: large.at99, unit: 'ms' },
        {
          name: 'the same of processor time',
          value: large.processorAt99 / small.processorAt99,
          unit: '×',
        },
        { name: `at ${spans} spans, 99th percentile of processor time`, value: large.processorAt99, unit: 'ms' },
        {
          name: '99th percentile of the larger against the smaller',
          value: growth,
          unit: '×',
          goal: { words: `at most ${GROWTH_GOAL}`, isMet: growth <= GROWTH_GOAL },
        },
      ],
    };
  } finally {
    await store.close();
    rmSync(directory, { recursive: true, force: true });
  }
}
