import type { Store, SummarisedRun } from '@reenact/collector';
import { describe, expect, it } from 'vitest';
import { makeSpan, spanIdOf, traceIdOf } from '../testbed.ts';
import { plainRun } from './plain-run.ts';
import { sliceLogs, sliceSpans } from './slices.ts';
import type { StoreUnderTest } from './store-under-test.ts';
import { FULL } from './version-cases.ts';

/** In the order in which they come. */
const TENANTS = ['acme', 'globex'] as const;
type Tenant = (typeof TENANTS)[number];

/** Both have a run 1 that names a user; what the other calls its run 2 is here a replay of run 1. */
const FACETS: Record<Tenant, readonly SummarisedRun['facets'][]> = {
  acme: [{ user: ['ada'] }, { user: ['bob'] }],
  globex: [{ user: ['bob'] }, { user: ['eve'], replayOf: [traceIdOf(1)], forkOf: [traceIdOf(1)] }],
};

/** Of an input that had one outcome with each of them. */
const observationOf = (tenant: Tenant): SummarisedRun['observations'][number] => ({
  spanId: spanIdOf(1),
  kind: 'tool',
  name: 'quote',
  service: 'shop',
  input: Buffer.alloc(16, 1),
  outcome: Buffer.from(tenant.padEnd(16)),
  startNs: 1n,
  circumstances: {},
});

function runOf(tenant: Tenant, number: number): SummarisedRun {
  const name = `run ${number} of ${tenant}`;
  const usage = [{ provider: tenant, model: 'm', calls: 1, inputTokens: number, outputTokens: 1 }];
  const facets = FACETS[tenant][number - 1] ?? {};
  return { ...plainRun(number, { name, usage }, facets), observations: [observationOf(tenant)] };
}

/** The same ids for both tenants, with other content: a trace that goes through the services of both. */
async function fill(store: Store): Promise<void> {
  for (const tenant of TENANTS) {
    for (const number of [1, 2]) {
      const span = makeSpan({ traceId: traceIdOf(number), spanId: spanIdOf(number), attributes: FULL });
      for (const time of ['first', 'second'])
        await store.appendSpans(tenant, sliceSpans({ ...span, name: `${time} of ${tenant}` }), []);
    }
    const said = { body: { stringValue: `said to ${tenant}` }, timeUnixNano: '1763700000000000001' };
    await store.appendLogs(tenant, sliceLogs({ ...said, traceId: traceIdOf(1) }, said), []);
  }
  for (const trace of await store.staleTraces(100)) {
    const number = trace.traceId === traceIdOf(1) ? 1 : 2;
    await store.writeSummaries([{ trace, run: runOf(trace.tenant as Tenant, number) }]);
  }
}

const textsOf = (items: readonly { readonly bytes: Uint8Array }[]) =>
  items.map(
    ({ bytes }) => /(?:first|second|said) (?:of|to) (?:acme|globex)/.exec(Buffer.from(bytes).toString('latin1'))?.[0],
  );

/** Two tenants whose traces, spans and users have the same ids. */
export function describeTenants(subject: StoreUnderTest): void {
  describe('tenants with the same ids', () => {
    it('read their own spans, versions and log records', async () => {
      const { store } = subject;
      await fill(store);
      for (const tenant of TENANTS) {
        const spans = await store.readTrace(tenant, traceIdOf(1));
        expect(textsOf(spans)).toEqual([`first of ${tenant}`]);
        expect(spans).toMatchObject([{ versions: 2, isConflicting: true }]);
        expect(await store.listSpans(tenant, traceIdOf(1))).toHaveLength(1);
        expect(textsOf(await store.readLogs(tenant, traceIdOf(1)))).toEqual([`said to ${tenant}`]);
        const found = await store.findLogs(tenant, (records) => textsOf(records).includes('said to acme'));
        const isTheirs = tenant === 'acme';
        expect([found.traceIds, found.records.length]).toEqual(isTheirs ? [[traceIdOf(1)], 1] : [[], 0]);
      }
    });

    it('find their own runs and sums, and no replays or forks of the other', async () => {
      const { store } = subject;
      await fill(store);
      const names = async (tenant: Tenant, query: Parameters<Store['listRuns']>[1]) =>
        (await store.listRuns(tenant, query, 9)).runs.map(({ name }) => name).toSorted();
      for (const tenant of TENANTS) {
        const own = [1, 2].map((number) => `run ${number} of ${tenant}`);
        expect(await names(tenant, {})).toEqual(own);
        const numbered = await store.listSummarised(tenant, {}, 0, 9);
        expect(numbered.map(({ summary }) => summary.name).toSorted()).toEqual(own);
        expect(await names(tenant, { user: 'bob' })).toEqual([own[tenant === 'acme' ? 1 : 0]]);
        const replayed = tenant === 'acme' ? [] : [own[0]];
        for (const query of [{ hasReplays: true }, { hasForks: true }])
          expect(await names(tenant, query)).toEqual(replayed);
        const { runs } = await store.listRuns(tenant, { trace: traceIdOf(1) }, 9);
        expect(runs.map(({ replays = 0, forks = 0 }) => [replays, forks])).toEqual([
          [replayed.length, replayed.length],
        ]);
        const { models } = await store.sumUsage(tenant, {});
        expect(models).toMatchObject([{ provider: tenant, calls: 2, inputTokens: 3 }]);
        expect((await store.listDrift(tenant, {}, 9)).drifts).toEqual([]);
      }
    });

    it('delete and keep their own runs', async () => {
      const { store } = subject;
      await fill(store);
      const present = async () => {
        const found = await Promise.all(
          TENANTS.flatMap((tenant) => [1, 2].map((number) => store.readTrace(tenant, traceIdOf(number)))),
        );
        return found.map(({ length }) => length);
      };
      await store.keepRun('globex', traceIdOf(1), 'incident 7');
      expect((await store.listRuns('acme', { kept: true }, 9)).runs).toEqual([]);
      // With the other tenant it is run 2 that names her.
      expect(await store.eraseUser('acme', 'eve')).toBe(0);
      expect(await present()).toEqual([1, 1, 1, 1]);
      expect(await store.erase([['globex', traceIdOf(2)]])).toBe(2);
      expect(await present()).toEqual([1, 1, 1, 0]);
      expect(await store.eraseTenant('acme')).toBe(6);
      expect(await present()).toEqual([0, 0, 1, 0]);
      expect((await store.listRuns('globex', { kept: true }, 9)).runs).toMatchObject([{ kept: 'incident 7' }]);
    });
  });
}
