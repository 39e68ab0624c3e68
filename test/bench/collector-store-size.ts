import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openStore } from '@reenact/collector';
import { directoryBytes } from '@reenact/collector/testing';
import { AgentConversations } from './agent-conversations.ts';
import type { BenchResult, BenchSize, Figure } from './bench-result.ts';
import { jaegerBadgerSize } from './jaeger-badger-size.ts';
import { fillStore } from './store-fill.ts';

const STEPS = 20;
const RATIO_GOAL = 15;

/** The same seed gives the same conversations, to whoever they are sent. */
const conversations = (): AgentConversations => new AgentConversations({ steps: STEPS, textCharactersMax: 1500 });

/** What a Jaeger v2 with Badger keeps of the same runs; nothing where it was not built. */
async function besideJaeger(runs: number, rawBytes: number, keptBytes: number): Promise<readonly Figure[]> {
  const jaegerBytes = await jaegerBadgerSize(conversations(), runs, 2 * STEPS);
  if (jaegerBytes === undefined) return [];
  return [
    { name: 'raw bytes per byte kept by Jaeger v2 with Badger', value: rawBytes / jaegerBytes, unit: '×' },
    { name: 'bytes kept by Jaeger v2 with Badger, of those kept here', value: jaegerBytes / keptBytes, unit: '×' },
  ];
}

/** How much smaller 20-step conversations are on disk, settled, than as they were received. */
export async function collectorStoreSize({ isSmoke }: BenchSize): Promise<BenchResult> {
  const runs = isSmoke ? 8 : 512;
  const directory = mkdtempSync(join(tmpdir(), 'reenact-bench-size-'));
  try {
    const store = await openStore(directory);
    const { spans, rawBytes } = await fillStore(store, conversations(), 0, runs);
    const settlingAt = performance.now();
    await store.settle();
    const settleMs = performance.now() - settlingAt;
    const packs = directoryBytes(join(directory, 'packs'));
    const chain = directoryBytes(join(directory, 'chain'));
    await store.close();
    const log = directoryBytes(join(directory, 'log'));
    const index = directoryBytes(directory) - packs - chain - log;
    const kept = packs + chain + index;
    const ratio = rawBytes / kept;
    return {
      name: 'size',
      what: `${runs} runs of ${STEPS} steps, ${spans} spans, ${(rawBytes / 1e6).toFixed(0)} MB of spans as received`,
      figures: [
        {
          name: 'raw bytes per byte kept: packs, chain and index',
          value: ratio,
          unit: '×',
          goal: { words: `at least ${RATIO_GOAL}`, isMet: ratio >= RATIO_GOAL },
        },
        { name: 'raw bytes per byte of packs alone', value: rawBytes / packs, unit: '×' },
        { name: 'index', value: index / spans, unit: 'bytes per span' },
        { name: 'chain', value: chain / spans, unit: 'bytes per span' },
        { name: 'recycled log segments, whatever the size of the store', value: log / 1e6, unit: 'MB' },
        { name: 'settling what was left at the end', value: settleMs, unit: 'ms' },
        ...(await besideJaeger(runs, rawBytes, kept)),
      ],
    };
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
}
