import { EventEmitter } from 'node:events';
import { context } from '@opentelemetry/api';
import { AsyncLocalStorageContextManager } from '@opentelemetry/context-async-hooks';
import { buildRecording } from '@reenact/recordings/testing';
import { replay } from '@reenact/replay';
import type { Recording } from '@reenact/trace-model';
import { agent, tool } from 'reenact';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';

let ran = 0;
const look = tool(
  'look',
  async (item: number) => {
    ran += 1;
    return `live ${item}`;
  },
  { effect: 'read' },
);

beforeAll(() => {
  context.setGlobalContextManager(new AsyncLocalStorageContextManager().enable());
});

afterAll(() => context.disable());

beforeEach(() => {
  ran = 0;
});

/** A run whose calls begin together and end at these times, microseconds. */
function racing(endsUs: readonly number[], inputOf: (index: number) => number): Recording {
  const bySettled = endsUs.map((_, index) => index).sort((left, right) => (endsUs[left] ?? 0) - (endsUs[right] ?? 0));
  return buildRecording({
    label: 'agent:racer',
    output: bySettled.map((index) => `recorded ${index}`),
    startUs: 0,
    endUs: Math.max(...endsUs) + 10,
    children: endsUs.map((endUs, index) => ({
      label: 'tool:look',
      input: [inputOf(index)],
      output: `recorded ${index}`,
      startUs: 1,
      endUs,
      settled: bySettled.indexOf(index),
    })),
  });
}

/** The bug: what it does depends on which call finished first. */
function entered(items: readonly number[]): () => Promise<string[]> {
  return agent('racer', async () => {
    const seen: string[] = [];
    await Promise.all(items.map(async (item) => seen.push(await look(item))));
    return seen;
  });
}

describe('a bug that depends on which parallel call finished first', () => {
  it('is there 100 times of 100, and its opposite as often', async () => {
    for (let round = 0; round < 100; round += 1) {
      const endsUs = round % 2 === 0 ? [5_000_000, 3_000_000, 4_000_000] : [1_000, 2_000, 1_500];
      const report = await replay({ recording: racing(endsUs, (index) => index), run: entered([0, 1, 2]) });
      expect(report.divergences).toEqual([]);
      expect(report.value).toEqual(
        round % 2 === 0 ? ['recorded 1', 'recorded 2', 'recorded 0'] : ['recorded 0', 'recorded 2', 'recorded 1'],
      );
    }
    expect(ran).toBe(0);
  });

  it('is there where fifty equal calls finished in reverse, each with its own outcome', async () => {
    const endsUs = Array.from({ length: 50 }, (_, index) => (50 - index) * 1_000);
    const report = await replay({
      recording: racing(endsUs, () => 7),
      run: entered(endsUs.map(() => 7)),
    });
    expect(report).toMatchObject({ verdict: 'reproduced', divergences: [] });
    expect(report.value).toEqual(endsUs.map((_, index) => `recorded ${49 - index}`));
    expect(ran).toBe(0);
  });
});

describe('a loop that waits for a deadline', () => {
  it('ends, although nothing makes time pass for real', async () => {
    const recording = buildRecording({ label: 'agent:waiting', output: 'over', startUs: 0, endUs: 60_000_000 });
    const waiting = agent('waiting', async () => {
      const deadline = Date.now() + 5_000;
      while (Date.now() < deadline) await new Promise(setImmediate);
      return 'over';
    });
    const startedAt = process.hrtime.bigint();
    const sleeping = agent('waiting', async () => {
      const deadline = Date.now() + 30_000;
      while (Date.now() < deadline) await new Promise((resolve) => setTimeout(resolve, 1_000));
      return 'over';
    });
    const report = await replay({ recording, run: sleeping });
    expect(report).toMatchObject({ value: 'over', divergences: [] });
    expect(Number(process.hrtime.bigint() - startedAt) / 1e9).toBeLessThan(20);
    expect(await replay({ recording, run: waiting })).toMatchObject({ value: 'over', divergences: [] });
  });
});

/** Hands a call on in a way that loses who asked for it. */
type Losing = (call: () => Promise<string>) => Promise<string>;

/** Made outside every run: what is registered here belongs to nobody. */
function losers(): Record<string, Losing> {
  const queue: (() => void)[] = [];
  const timer = setInterval(() => {
    for (const task of queue.splice(0)) task();
  }, 1);
  timer.unref();
  const emitter = new EventEmitter();
  emitter.on('task', (task: () => void) => task());
  const pool = new FinalPool();
  const later = (hand: (task: () => void) => void): Losing => {
    return (call) => new Promise((resolve, reject) => hand(() => call().then(resolve, reject)));
  };
  return {
    'a queue that a timer empties': later((task) => queue.push(task)),
    'an event emitter': later((task) => context.with(emptyContext, () => emitter.emit('task', task))),
    'the callback of a pool': later((task) => pool.acquire(task)),
  };
}

/** A pool whose connections call back from a loop that was started before anybody asked. */
class FinalPool {
  private readonly waiting: (() => void)[] = [];
  private wake: () => void = () => undefined;

  constructor() {
    void this.serve();
  }

  private async serve(): Promise<void> {
    for (;;) {
      await new Promise<void>((resolve) => {
        this.wake = resolve;
      });
      for (const task of this.waiting.splice(0)) task();
    }
  }

  acquire(task: () => void): void {
    this.waiting.push(task);
    this.wake();
  }
}

const emptyContext = context.active();
const losing = losers();

describe('a call that lost its context', () => {
  it.each(Object.entries(losing))('through %s never runs, and is answered', async (_, hand) => {
    const recording = buildRecording({
      label: 'agent:losing',
      output: 'recorded',
      children: [{ label: 'tool:look', input: [1], output: 'recorded' }],
    });
    const run = agent('losing', () => hand(() => look(1)));
    const report = await replay({ recording, run });
    expect(report).toMatchObject({ verdict: 'reproduced', value: 'recorded' });
    const other = await replay({ recording, run: agent('losing', () => hand(() => look(2))) });
    expect(other.divergences[0]).toMatchObject({ kind: 'input-changed', path: 'agent:losing/tool:look' });
    expect(ran).toBe(0);
  });
});
