import { openStore, type Store } from '@reenact/collector';
import type { RunQuery, RunSummary } from '@reenact/trace-model/collector-api';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { makeSpan, spanIdOf, Testbed, traceIdOf } from '../testbed.ts';
import { FIRST_SECOND, plainRun } from './plain-run.ts';
import { sliceSpans } from './slices.ts';

const testbed = new Testbed();
let store: Store;
let cases = 0;
beforeAll(async () => {
  store = await openStore(await testbed.directory());
});
afterAll(async () => {
  await store.close();
  await testbed.dispose();
});

const FILTERS: readonly RunQuery[] = [{}, { agent: 'even' }, { status: 'error' }, { since: '2001-01-01T00:00:00Z' }];

const walks = fc.record({
  /** Seconds at which the runs start that are there before the walk; several may be equal. */
  starts: fc.array(fc.nat({ max: 20 }), { minLength: 1, maxLength: 25 }),
  /** What comes between two pages. */
  arrivals: fc.array(fc.nat({ max: 20 }), { maxLength: 8 }),
  /** How many runs get their summary before the walk and between two pages, and which of those that wait. */
  summarisedFirst: fc.nat({ max: 12 }),
  perPage: fc.integer({ min: 1, max: 4 }),
  picks: fc.array(fc.nat({ max: 99 }), { minLength: 1, maxLength: 9 }),
  limit: fc.integer({ min: 1, max: 6 }),
  filter: fc.constantFrom(...FILTERS),
});

type Walk = typeof walks extends fc.Arbitrary<infer Value> ? Value : never;

/** Runs of one tenant whose summaries are made when the test says so, in an order of its own. */
class Backlog {
  readonly tenant: string;
  private readonly picks: readonly number[];
  private runs = 0;
  private summaries = 0;

  constructor(picks: readonly number[]) {
    this.tenant = `tenant-${++cases}`;
    this.picks = picks;
  }

  async add(start: number): Promise<void> {
    const number = ++this.runs;
    const startTimeUnixNano = `${FIRST_SECOND + start}000000000`;
    const span = makeSpan({ traceId: traceIdOf(number), spanId: spanIdOf(number), startTimeUnixNano });
    await store.appendSpans(this.tenant, sliceSpans(span), []);
  }

  async summarise(count: number): Promise<void> {
    for (let left = count; left > 0; left -= 1) {
      const waiting = await store.newestStale(this.tenant, 100);
      const trace = waiting[(this.picks[this.summaries++ % this.picks.length] ?? 0) % Math.max(1, waiting.length)];
      if (trace === undefined) return;
      const number = Number.parseInt(trace.traceId.slice(1), 16);
      const facets = number % 2 === 0 ? { agent: ['even'] } : {};
      const run = plainRun(number, { status: number % 3 === 0 ? 'error' : 'ok' }, facets);
      await store.writeSummaries([{ trace, run }]);
    }
  }
}

function isWanted(number: number, { agent, status }: RunQuery): boolean {
  return (agent === undefined || number % 2 === 0) && (status === undefined || number % 3 === 0);
}

async function walk({ arrivals, perPage, limit, filter }: Walk, backlog: Backlog): Promise<RunSummary[]> {
  const found: RunSummary[] = [];
  const coming = [...arrivals];
  let cursor: string | undefined;
  do {
    const query = { ...filter, ...(cursor === undefined ? {} : { cursor }) };
    const page = await store.listRuns(backlog.tenant, query, limit, await store.lastChange());
    found.push(...page.runs);
    cursor = page.next;
    const start = coming.shift();
    if (start !== undefined) await backlog.add(start);
    await backlog.summarise(perPage);
  } while (cursor !== undefined);
  return found;
}

describe('a walk over complete pages', () => {
  it('has every run that was there before it once, in whatever order summaries are made and runs arrive', async () => {
    await fc.assert(
      fc.asyncProperty(walks, async (given) => {
        const backlog = new Backlog(given.picks);
        for (const start of given.starts) await backlog.add(start);
        await backlog.summarise(given.summarisedFirst);
        const found = (await walk(given, backlog)).map(({ traceId }) => Number.parseInt(traceId.slice(1), 16));
        expect(new Set(found).size).toBe(found.length);
        const startOf = (number: number) => [...given.starts, ...given.arrivals][number - 1] ?? 0;
        const inOrder = found.toSorted((left, right) => startOf(right) - startOf(left) || right - left);
        expect(found).toEqual(inOrder);
        const before = given.starts.map((_, index) => index + 1).filter((number) => isWanted(number, given.filter));
        expect(found.filter((number) => number <= given.starts.length).toSorted((a, b) => a - b)).toEqual(before);
      }),
      { numRuns: 40 },
    );
  });
});
