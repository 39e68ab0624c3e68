import { ReenactError } from '@reenact/trace-model';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { StaleTrace, SummarisedTrace } from '../../store/store.ts';
import {
  SUMMARIES_NEWEST_FIRST,
  SUMMARIES_WRITTEN_BYTES,
  SUMMARY_FIRST_QUIET_MS,
  SUMMARY_FOLLOWED_MS,
  SUMMARY_QUIET_MS,
  SUMMARY_RETRY_FIRST_MS,
  SUMMARY_RETRY_MS_MAX,
  SUMMARY_STALE_MS_MAX,
} from '../limits.ts';
import { unreadableRun } from './run-summary.ts';
import { type StoreToSummarise, Summariser } from './summariser.ts';
import type { SummaryMaker } from './summary-thread.ts';

const WAIT_MS = 5_000;

/** Traces of which only the revisions matter. What is done at each write can hold it up, or go on writing. */
class RevisionStore implements StoreToSummarise {
  readonly capabilities = {
    backend: 'test',
    isDurable: false,
    keepsBytes: false,
    storesConversationsOnce: false,
    erasesBytes: false,
    backsUpWhileRunning: false,
    findsText: false,
  };
  readonly threadAccess = { dataDirectory: '' };
  readonly written: string[] = [];
  onWrite: (written: readonly string[]) => Promise<void> | void = () => undefined;
  private readonly traces = new Map<string, StaleTrace & { summarised: number }>();
  private change = 0;

  append(traceId: string, tenant = 'mine'): void {
    this.change += 1;
    const known = this.traces.get(`${tenant} ${traceId}`);
    const { revision = 0, summarised = 0 } = known ?? {};
    this.traces.set(`${tenant} ${traceId}`, {
      tenant,
      traceId,
      revision: revision + 1,
      change: this.change,
      summarised,
    });
  }

  async staleTraces(limit: number, afterChange = -1): Promise<StaleTrace[]> {
    return this.stale()
      .filter(({ change }) => change > afterChange)
      .sort((left, right) => left.change - right.change)
      .slice(0, limit);
  }

  async newestStale(tenant: string, limit: number): Promise<StaleTrace[]> {
    const ofTenant = this.stale().filter((trace) => trace.tenant === tenant);
    return ofTenant.sort((left, right) => right.change - left.change).slice(0, limit);
  }

  async countStale(tenant: string): Promise<number> {
    return this.stale().filter((trace) => trace.tenant === tenant).length;
  }

  async writeSummaries(summaries: readonly SummarisedTrace[]): Promise<void> {
    const names = summaries.map(({ trace }) => trace.traceId);
    await this.onWrite(names);
    for (const { trace } of summaries) {
      const known = this.traces.get(`${trace.tenant} ${trace.traceId}`);
      if (known !== undefined) known.summarised = Math.max(known.summarised, trace.revision);
    }
    this.written.push(...names);
  }

  private stale(): (StaleTrace & { summarised: number })[] {
    return [...this.traces.values()].filter(({ revision, summarised }) => revision !== summarised);
  }
}

/** Bytes of every run. */
let runBytes = 0;

/** Summarises two at a time, whatever they are. */
const maker: SummaryMaker = {
  summarise: async (traces) =>
    traces.slice(0, 2).map(([, traceId]) => ({
      run: unreadableRun(traceId, '', 1, new ReenactError('internal', 'not the matter here')),
      bytes: runBytes,
    })),
  stop: async () => undefined,
};

let store: RevisionStore;
let summariser: Summariser;

beforeEach(() => {
  // Time passes only where a test says so: what does not wait for time ends all the same.
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] });
  runBytes = 0;
  store = new RevisionStore();
  summariser = new Summariser(store, { waitMs: WAIT_MS, maker });
});
afterEach(async () => {
  await summariser.stop();
  vi.useRealTimers();
});

function appendMany(count: number, tenant?: string): void {
  for (let number = 1; number <= count; number += 1) store.append(`${number}`, tenant);
}

/** Lets writes go as far as a batch, and holds up all others until the test ends. */
function holdUpAfter(writes: number): () => void {
  let release: () => void = () => undefined;
  const held = new Promise<void>((resolve) => {
    release = resolve;
  });
  let seen = 0;
  store.onWrite = () => {
    seen += 1;
    return seen > writes ? held : undefined;
  };
  return release;
}

describe('a question that waits for summaries', () => {
  it('is through with what was stale when it came, however much is written meanwhile', async () => {
    appendMany(100);
    let more = 100;
    store.onWrite = (written) => {
      for (const _ of written) store.append(`${++more}`);
    };
    expect(await summariser.catchUp('mine')).toBe(0);
    const first = Array.from({ length: 100 }, (_, index) => `${index + 1}`);
    expect(store.written).toEqual(expect.arrayContaining(first));
    store.onWrite = () => undefined;
  });

  it('is through with a run that changes again whenever it is summarised', async () => {
    appendMany(3);
    store.onWrite = (written) => {
      for (const traceId of written) store.append(traceId);
    };
    expect(await summariser.catchUp('mine')).toBe(0);
    expect(new Set(store.written)).toEqual(new Set(['1', '2', '3']));
    store.onWrite = () => undefined;
  });

  it('ends at its limit, tells how many runs are missing, and later that none is', async () => {
    appendMany(70);
    runBytes = SUMMARIES_WRITTEN_BYTES;
    const release = holdUpAfter(1);
    const first = summariser.catchUp('mine');
    await vi.waitFor(() => expect(store.written).toHaveLength(2), { timeout: 20_000 });
    store.append('late');
    await vi.advanceTimersByTimeAsync(WAIT_MS);
    expect(await first).toBe(70 - 2 + 1);
    release();
    expect(await summariser.catchUp('mine')).toBe(0);
    expect(new Set(store.written).size).toBe(71);
  });

  it('waits for its own tenant only, and before the rest of a burst of another', async () => {
    appendMany(500, 'theirs');
    store.append('own');
    expect(await summariser.catchUp('mine')).toBe(0);
    expect(store.written.indexOf('own')).toBeLessThan(64);
    expect(await summariser.catchUp('nobody')).toBe(0);
  });

  it('waits for its own also behind more of others than are queued at one time', async () => {
    summariser = new Summariser(store, { waitMs: WAIT_MS, queuedMax: 50, maker });
    appendMany(300, 'theirs');
    store.append('own');
    expect(await summariser.catchUp('mine')).toBe(0);
    expect(store.written).toContain('own');
  });

  it('has the run it is about summarised first', async () => {
    appendMany(200);
    const release = holdUpAfter(1);
    const answer = summariser.catchUp('mine', '200');
    await vi.waitFor(() => expect(store.written).toContain('200'), { timeout: 20_000 });
    release();
    expect(await answer).toBe(0);
  });
});

describe('a question about runs that are held back', () => {
  it('finds runs that go on and are held back, however many there are, also before any was summarised', async () => {
    summariser.wake();
    await vi.advanceTimersByTimeAsync(500);
    const pulse = (): void => {
      appendMany(SUMMARIES_NEWEST_FIRST + 6);
      summariser.wake();
    };
    for (let second = 0; second < 3; second += 1) {
      pulse();
      await vi.advanceTimersByTimeAsync(1_000);
    }
    expect(store.written).toEqual([]);
    expect(await summariser.catchUp('mine')).toBe(0);
    expect(new Set(store.written).size).toBe(SUMMARIES_NEWEST_FIRST + 6);
  });
});

const REQUESTS = 200;

/** Sends a run in so many requests, and gives how many summaries that made and how long it went without a current one. */
async function go(everyMs: number, requests = REQUESTS): Promise<{ summaries: number; staleMs: number }> {
  let staleSinceMs: number | undefined;
  let staleMs = 0;
  for (let request = 1; request <= requests; request += 1) {
    store.append('long');
    summariser.wake();
    staleSinceMs ??= performance.now();
    for (let passedMs = 0; passedMs < everyMs; passedMs += 250) {
      const before = store.written.length;
      await vi.advanceTimersByTimeAsync(250);
      if (store.written.length === before) continue;
      staleMs = Math.max(staleMs, performance.now() - (staleSinceMs ?? performance.now()));
      staleSinceMs = undefined;
    }
  }
  const summaries = store.written.length;
  await vi.advanceTimersByTimeAsync(SUMMARY_STALE_MS_MAX);
  expect(await store.countStale('mine')).toBe(0);
  return { summaries, staleMs };
}

describe('a run that goes on', () => {
  it('is not summarised at each request, and never waits longer than its limit', async () => {
    const { summaries, staleMs } = await go(3_000);
    expect(summaries).toBeLessThanOrEqual((REQUESTS * 3_000) / SUMMARY_STALE_MS_MAX + 2);
    expect(summaries).toBeGreaterThan(5);
    expect(staleMs).toBeLessThanOrEqual(SUMMARY_STALE_MS_MAX + 1_000);
  });

  it('is summarised the more seldom the larger it is', async () => {
    const small = await go(SUMMARY_QUIET_MS + 1_000, 6);
    runBytes = 10 * 1024 * 1024;
    summariser = new Summariser(store, { waitMs: WAIT_MS, maker });
    store.written.length = 0;
    const large = await go(SUMMARY_QUIET_MS + 1_000, 6);
    expect(small.summaries).toBeGreaterThan(2 * large.summaries);
    expect(large.summaries).toBeGreaterThan(0);
  });

  it('is summarised once where it takes seconds', async () => {
    expect(await summariser.catchUp('mine')).toBe(0);
    const { summaries, staleMs } = await go(500, 20);
    expect(summaries).toBe(0);
    expect(staleMs).toBe(0);
    expect(store.written).toEqual(['long']);
  });

  it('is summarised at once where it is of an earlier process', async () => {
    appendMany(70);
    const startedMs = performance.now();
    summariser.wake();
    await vi.waitFor(async () => expect(await store.countStale('mine')).toBe(0), { timeout: 20_000 });
    expect(performance.now() - startedMs).toBeLessThan(SUMMARY_FIRST_QUIET_MS);
  });

  it('is summarised the more seldom the longer it goes on', async () => {
    const { summaries } = await go(SUMMARY_QUIET_MS + 1_000);
    expect(summaries).toBeLessThan(REQUESTS / 5);
  });

  it('is there at once for whoever asks', async () => {
    for (let request = 1; request <= 5; request += 1) {
      store.append('long');
      expect(await summariser.catchUp('mine', 'long')).toBe(0);
      expect(await store.countStale('mine')).toBe(0);
    }
    expect(store.written).toHaveLength(5);
  });

  it('is there soon for whoever follows', async () => {
    summariser = new Summariser(store, { waitMs: WAIT_MS, maker, isFollowed: (tenant) => tenant === 'mine' });
    const { staleMs } = await go(1_000);
    expect(staleMs).toBeLessThanOrEqual(SUMMARY_FOLLOWED_MS + 1_000);
  });

  it('is not forgotten while the store fails', async () => {
    store.append('long');
    expect(await summariser.catchUp('mine')).toBe(0);
    store.append('long');
    store.append('other');
    store.onWrite = () => Promise.reject(new Error('disk full'));
    summariser.wake();
    await vi.advanceTimersByTimeAsync(SUMMARY_FIRST_QUIET_MS + 1_000);
    store.onWrite = () => undefined;
    summariser.wake();
    await vi.advanceTimersByTimeAsync(1_000);
    expect(await store.countStale('mine')).toBe(0);
  });
});

describe('a question that cannot be answered in full', () => {
  it('says how many runs it lacks where no summary can be written, which is told once, and what is to be certain fails', async () => {
    const told: (string | undefined)[] = [];
    summariser = new Summariser(store, { waitMs: WAIT_MS, maker, onFailing: (error) => told.push(error?.message) });
    appendMany(40);
    store.onWrite = () => Promise.reject(new Error('disk full'));
    expect(await summariser.catchUp('mine')).toBe(40);
    expect(await summariser.catchUp('mine')).toBe(40);
    await expect(summariser.settle('mine')).rejects.toThrow('disk full');
    expect(told).toEqual([expect.stringContaining('disk full')]);
    store.onWrite = () => undefined;
    expect(await summariser.catchUp('mine')).toBe(0);
    await vi.waitFor(() => expect(told).toEqual([expect.stringContaining('disk full'), undefined]), {
      timeout: 20_000,
    });
  });

  it('waits for the newest alone where so many wait that its time is not enough for all, and for a few however slow they are', async () => {
    store.onWrite = () => void vi.advanceTimersByTime(1_000);
    appendMany(32);
    expect(await summariser.catchUp('mine')).toBe(0);
    appendMany(500);
    const answered = await summariser.catchUp('mine');
    expect(answered).toBeGreaterThan(0);
    expect(answered).toBeLessThanOrEqual(500 - SUMMARIES_NEWEST_FIRST);
    const newest = Array.from({ length: SUMMARIES_NEWEST_FIRST }, (_, index) => String(500 - index));
    expect(store.written.slice(32, 32 + SUMMARIES_NEWEST_FIRST).toSorted()).toEqual(newest.toSorted());
    await summariser.settle('mine');
    appendMany(SUMMARIES_NEWEST_FIRST);
    expect(await summariser.catchUp('mine')).toBe(0);
  });

  it('goes on to wait where the first batches were slow, and the others turn out not to be', async () => {
    appendMany(500);
    let writes = 0;
    store.onWrite = () => {
      writes += 1;
      vi.advanceTimersByTime(writes === 1 ? 1_000 : 10);
    };
    expect(await summariser.catchUp('mine')).toBe(0);
  });

  it('finds out with the first batch how long the others take, and does not wait for those it cannot have', async () => {
    appendMany(500);
    store.onWrite = () => void vi.advanceTimersByTime(1_000);
    expect(await summariser.catchUp('mine')).toBeGreaterThan(0);
    expect(store.written).toContain('500');
  });

  it('ends with the summariser', async () => {
    appendMany(40);
    const release = holdUpAfter(0);
    const [answer, settled] = [summariser.catchUp('mine'), summariser.settle('mine')];
    const checked = Promise.all([
      expect(answer).resolves.toBeGreaterThan(0),
      expect(settled).rejects.toMatchObject({ code: 'store-failed', retryable: true }),
    ]);
    const stopped = summariser.stop();
    release();
    await stopped;
    await checked;
  });
});

describe('a batch that fails once', () => {
  it('is tried again, or told, while others go on and on', async () => {
    const told: (string | undefined)[] = [];
    summariser = new Summariser(store, { waitMs: WAIT_MS, maker, onFailing: (error) => told.push(error?.message) });
    appendMany(100);
    let writes = 0;
    store.onWrite = () => {
      writes += 1;
      if (writes === 1) return Promise.reject(new Error('once'));
      if (writes < 2000) for (let n = 0; n < 4; n += 1) store.append(`${writes} ${n}`, 'others');
      return undefined;
    };
    await summariser.settle('mine').catch(() => undefined);
    expect(writes).toBeLessThan(200);
  });
});

describe('a run whose content could not be had', () => {
  /** Summarises as `maker` does, and says of all whether content is missing. */
  const lacking = (isAway: () => boolean): SummaryMaker => ({
    ...maker,
    summarise: async (...asked) =>
      (await maker.summarise(...asked)).map((made) => ({ ...made, mayBeCompleted: isAway() })),
  });
  const written = (times: number) => vi.waitFor(() => expect(store.written).toHaveLength(times), { timeout: 20_000 });

  it('is summarised again once its host may be back, seldomer each time, and then no more', async () => {
    let isAway = true;
    summariser = new Summariser(store, { waitMs: WAIT_MS, maker: lacking(() => isAway) });
    appendMany(1);
    await summariser.settle('mine');
    await vi.advanceTimersByTimeAsync(SUMMARY_RETRY_FIRST_MS);
    await written(2);
    await vi.advanceTimersByTimeAsync(2 * SUMMARY_RETRY_FIRST_MS - SUMMARY_QUIET_MS);
    expect(store.written).toHaveLength(2);
    isAway = false;
    await vi.advanceTimersByTimeAsync(2 * SUMMARY_QUIET_MS);
    await written(3);
    await vi.advanceTimersByTimeAsync(SUMMARY_RETRY_MS_MAX);
    expect(store.written).toEqual(['1', '1', '1']);
  });
});

describe('a summariser that failed', () => {
  it('says that summaries are made again as soon as some are, however long others are in work', async () => {
    const told: (string | undefined)[] = [];
    summariser = new Summariser(store, { waitMs: WAIT_MS, maker, onFailing: (error) => told.push(error?.message) });
    appendMany(1);
    store.onWrite = () => Promise.reject(new Error('disk full'));
    await expect(summariser.settle('mine')).rejects.toThrow('disk full');
    appendMany(100);
    let release: () => void = () => undefined;
    const held = new Promise<void>((resolve) => {
      release = resolve;
    });
    let isHeld = false;
    store.onWrite = () => {
      if (isHeld) return undefined;
      isHeld = true;
      return held;
    };
    const settled = summariser.settle('mine');
    await vi.waitFor(() => expect(told).toEqual([expect.stringContaining('disk full'), undefined]), {
      timeout: 20_000,
    });
    release();
    await settled;
  });
});
