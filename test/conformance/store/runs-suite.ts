import type { RunFacets, Store } from '@reenact/collector';
import type { RunSummary } from '@reenact/trace-model/collector-api';
import { describe, expect, it } from 'vitest';
import { makeSpan, spanIdOf, traceIdOf } from '../testbed.ts';
import { FIRST_SECOND, plainRun } from './plain-run.ts';
import { sliceSpans } from './slices.ts';
import type { StoreUnderTest } from './store-under-test.ts';

const TENANT = 'default';

function plainSpan(number: number): ReturnType<typeof makeSpan> {
  return makeSpan({ traceId: traceIdOf(number), spanId: spanIdOf(number) });
}

/** Stores one trace and gives it a summary. */
async function addRun(store: Store, number: number, members?: Partial<RunSummary>, facets?: RunFacets): Promise<void> {
  const startTimeUnixNano = `${FIRST_SECOND + number}000000000`;
  const span = makeSpan({ traceId: traceIdOf(number), spanId: spanIdOf(number), startTimeUnixNano });
  await store.appendSpans(TENANT, sliceSpans(span), []);
  const stale = await store.staleTraces(100);
  const trace = stale.find(({ traceId }) => traceId === traceIdOf(number));
  if (trace === undefined) expect.fail('a new trace is not stale');
  await store.writeSummaries([{ trace, run: plainRun(number, members, facets) }]);
}

/** Telling which traces wait for a summary. */
export function describeStale(subject: StoreUnderTest): void {
  it('tells stale traces by their newest change and after one, and counts them by tenant', async () => {
    const numbers = [1, 2, 3];
    for (const number of numbers) await subject.store.appendSpans(TENANT, sliceSpans(plainSpan(number)), []);
    await subject.store.appendSpans('other', sliceSpans(plainSpan(1)), []);
    await subject.store.appendSpans(TENANT, sliceSpans({ ...plainSpan(1), spanId: spanIdOf(99) }), []);
    const stale = await subject.store.staleTraces(10);
    expect(stale.map(({ tenant, traceId }) => [tenant, traceId])).toEqual([
      [TENANT, traceIdOf(2)],
      [TENANT, traceIdOf(3)],
      ['other', traceIdOf(1)],
      [TENANT, traceIdOf(1)],
    ]);
    expect(await subject.store.staleTraces(2, stale[0]?.change)).toEqual(stale.slice(1, 3));
    const ofTenant = stale.filter(({ tenant }) => tenant === TENANT).reverse();
    expect(await subject.store.newestStale(TENANT, 2)).toEqual(ofTenant.slice(0, 2));
    const counts = async () => [await subject.store.countStale(TENANT), await subject.store.countStale('other')];
    expect(await counts()).toEqual([3, 1]);
    await subject.store.writeSummaries(stale.slice(1).map((trace) => ({ trace, run: plainRun(7) })));
    expect(await counts()).toEqual([1, 0]);
    expect(await subject.store.staleTraces(10)).toEqual(stale.slice(0, 1));
  });

  it('numbers summaries as they are written, anew where they are others, whatever else waits or has changed meanwhile', async () => {
    const { store } = subject;
    const listed = async (after = 0) =>
      (await store.listSummarised(TENANT, {}, after, 10)).map(({ summary }) => summary.traceId);
    await store.appendSpans('other', sliceSpans(plainSpan(9)), []);
    await store.appendSpans(TENANT, sliceSpans(plainSpan(2)), []);
    await addRun(store, 1);
    await addRun(store, 3);
    expect(await listed()).toEqual([traceIdOf(1), traceIdOf(3)]);
    const stale = (await store.staleTraces(10)).find(({ traceId }) => traceId === traceIdOf(2));
    if (stale === undefined) expect.fail('not stale');
    const last = await store.lastSummary();
    expect(await listed(last)).toEqual([]);
    // It is of what was there before this, and still what is known of the run.
    await store.appendSpans(TENANT, sliceSpans({ ...plainSpan(2), spanId: spanIdOf(99) }), []);
    await store.writeSummaries([{ trace: stale, run: plainRun(2) }]);
    expect(await listed(last)).toEqual([traceIdOf(2)]);
    const [current] = (await store.staleTraces(10)).filter(({ tenant }) => tenant === TENANT);
    if (current === undefined) expect.fail('not stale');
    await store.writeSummaries([{ trace: current, run: plainRun(2) }]);
    const before = await store.lastSummary();
    // As of a run whose content is to be had later, and is asked for again: there is nothing to tell.
    await store.writeSummaries([{ trace: current, run: plainRun(2) }]);
    expect(await listed(before)).toEqual([]);
    const { summary, ...rest } = plainRun(2);
    await store.writeSummaries([
      { trace: current, run: { ...rest, summary: { ...summary, service: 'as content says' } } },
    ]);
    expect(await listed(before)).toEqual([traceIdOf(2)]);
    expect(await listed()).toEqual([traceIdOf(1), traceIdOf(3), traceIdOf(2)]);
  });
}

/** Listing and filtering runs. */
export function describeRuns(subject: StoreUnderTest): void {
  const namesOf = async (query: Parameters<Store['listRuns']>[1], limit = 10) =>
    (await subject.store.listRuns(TENANT, query, limit)).runs.map(({ name }) => name);

  describe('runs', () => {
    it('makes a trace stale with every append that changed it, and only then', async () => {
      await addRun(subject.store, 1);
      expect(await subject.store.staleTraces(10)).toEqual([]);
      const late = makeSpan({ traceId: traceIdOf(1), spanId: spanIdOf(99) });
      await subject.store.appendSpans(TENANT, sliceSpans(late), []);
      const [stale] = await subject.store.staleTraces(10);
      expect(stale).toMatchObject({ traceId: traceIdOf(1), tenant: TENANT });
      await subject.store.appendSpans(TENANT, sliceSpans(makeSpan({ traceId: traceIdOf(1) })), []);
      if (stale === undefined) expect.fail('not stale');
      await subject.store.writeSummaries([{ trace: stale, run: plainRun(1) }]);
      expect(await subject.store.staleTraces(10)).toHaveLength(1);
      await subject.store.appendSpans(TENANT, sliceSpans(late), []);
      expect((await subject.store.staleTraces(10))[0]?.revision).toBe(stale.revision + 1);
    });

    it('lists newest first, page by page, without gaps or repeats', async () => {
      for (const number of [3, 1, 5, 2, 4]) await addRun(subject.store, number);
      const seen: string[] = [];
      let cursor: string | undefined;
      do {
        const page = await subject.store.listRuns(TENANT, cursor === undefined ? {} : { cursor }, 2);
        expect(page.runs.length).toBeLessThanOrEqual(2);
        seen.push(...page.runs.map(({ name }) => name));
        cursor = page.next;
      } while (cursor !== undefined);
      expect(seen).toEqual(['run 5', 'run 4', 'run 3', 'run 2', 'run 1']);
      await expect(subject.store.listRuns(TENANT, { cursor: 'bogus' }, 2)).rejects.toMatchObject({
        code: 'bad-request',
      });
    });

    it('filters by everything a query names', async () => {
      const facets = {
        service: ['bank'],
        agent: ['trader'],
        session: ['s-1', 'c-1'],
        kind: ['model', 'tool'],
        name: ['quote', 'x.chat'],
        crossing: ['model:x.chat', 'tool:quote'],
      };
      await addRun(subject.store, 1, { status: 'error' }, facets);
      await addRun(
        subject.store,
        2,
        {},
        { session: ['s-1'], kind: ['model'], name: ['quote'], crossing: ['model:quote'] },
      );
      expect(await namesOf({ service: 'bank' })).toEqual(['run 1']);
      expect(await namesOf({ status: 'ok' })).toEqual(['run 2']);
      expect(await namesOf({ agent: 'trader' })).toEqual(['run 1']);
      expect(await namesOf({ session: 's-1' })).toEqual(['run 2', 'run 1']);
      expect(await namesOf({ session: 'c-1' })).toEqual(['run 1']);
      expect(await namesOf({ session: 'trader' })).toEqual([]);
      expect(await namesOf({ kind: 'model' })).toEqual(['run 2', 'run 1']);
      expect(await namesOf({ kind: 'model', name: 'quote' })).toEqual(['run 2']);
      expect(await namesOf({ name: 'x.chat', service: 'shop' })).toEqual([]);
      expect(await namesOf({ since: new Date((FIRST_SECOND + 2) * 1000).toISOString() })).toEqual(['run 2']);
      expect(await namesOf({ until: new Date((FIRST_SECOND + 2) * 1000).toISOString() })).toEqual(['run 1']);
    });
  });
}

/** Sums over runs. */
export function describeUsage(subject: StoreUnderTest): void {
  it('sums up what models used in all runs that pass, most tokens first, and replays nowhere unless they are asked for', async () => {
    const used = (provider: string, calls: number, tokens: number, cached: object = {}) => {
      return { provider, model: 'm', calls, inputTokens: tokens, outputTokens: 1, ...cached };
    };
    const cached = { cacheReadTokens: 3, cacheWriteTokens: 5 };
    const add = (number: number, usage: RunSummary['usage'], members: Partial<RunSummary> = {}) =>
      addRun(subject.store, number, { usage, ...members });
    await add(1, [used('acme', 2, 10, cached), used('other', 1, 200)]);
    await add(2, [used('acme', 3, 20, cached)], { status: 'error' });
    await add(3, [used('acme', 7, 70)], { origin: 'replay', replayId: 'r' });
    const acme = (calls: number, inputTokens: number, outputTokens: number) => {
      return { provider: 'acme', model: 'm', calls, inputTokens, outputTokens };
    };
    const sums = (query: Parameters<Store['sumUsage']>[1]) => subject.store.sumUsage(TENANT, query);
    const both = { ...acme(5, 30, 2), cacheReadTokens: 6, cacheWriteTokens: 10 };
    expect(await sums({})).toEqual({ runs: 2, models: [used('other', 1, 200), both] });
    expect(await sums({ status: 'error' })).toEqual({ runs: 1, models: [used('acme', 3, 20, cached)] });
    expect(await sums({ replays: 'only' })).toEqual({ runs: 1, models: [acme(7, 70, 1)] });
    expect(await sums({ service: 'nobody' })).toEqual({ runs: 0, models: [] });
  });
}
