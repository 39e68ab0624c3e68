import { openStore, type StaleTrace, type Store } from '@reenact/collector';
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
  /** Which of them got a summary, and then another span: what they are found by came with it. */
  continued: fc.array(fc.boolean(), { maxLength: 25 }),
  /** What comes between two pages: runs, by the second of their start, and spans of runs that were there, by which. */
  arrivals: fc.array(fc.nat({ max: 20 }), { maxLength: 8 }),
  /** The latter come while a page waits for summaries. */
  spansMeanwhile: fc.array(fc.array(fc.nat({ max: 99 }), { maxLength: 4 }), { maxLength: 6 }),
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
  private readonly starts: number[] = [];
  /** How many spans each run had when the walk began; none are found by less. */
  private revisions: readonly (number | undefined)[] | undefined;
  private readonly spans: number[] = [];
  private summaries = 0;

  constructor(picks: readonly number[]) {
    this.tenant = `tenant-${++cases}`;
    this.picks = picks;
  }

  async add(start: number): Promise<void> {
    this.starts.push(start);
    await this.continue(this.starts.length);
  }

  async continue(number: number): Promise<void> {
    const spans = (this.spans[number] ?? 0) + 1;
    this.spans[number] = spans;
    const startTimeUnixNano = `${FIRST_SECOND + (this.starts[number - 1] ?? 0)}000000000`;
    const spanId = spanIdOf(number * 1000 + spans);
    const span = makeSpan({ traceId: traceIdOf(number), spanId, startTimeUnixNano });
    await store.appendSpans(this.tenant, sliceSpans(span), []);
  }

  begin(): void {
    this.revisions = [...this.spans];
  }

  async summarise(count: number): Promise<void> {
    for (let left = count; left > 0; left -= 1) {
      const waiting = await store.newestStale(this.tenant, 100);
      const trace = waiting[(this.picks[this.summaries++ % this.picks.length] ?? 0) % Math.max(1, waiting.length)];
      if (trace === undefined) return;
      await this.write(trace);
    }
  }

  async summariseRun(number: number): Promise<void> {
    const waiting = await store.newestStale(this.tenant, 100);
    const trace = waiting.find(({ traceId }) => traceId === traceIdOf(number));
    if (trace === undefined) expect.fail(`Run ${number} waits for no summary.`);
    await this.write(trace);
  }

  private async write(trace: StaleTrace): Promise<void> {
    const number = Number.parseInt(trace.traceId.slice(1), 16);
    const isFound = this.revisions !== undefined && trace.revision >= (this.revisions[number] ?? 0);
    const facets = isFound && number % 2 === 0 ? { agent: ['even'] } : {};
    const run = plainRun(number, { status: isFound && number % 3 === 0 ? 'error' : 'ok' }, facets);
    await store.writeSummaries([{ trace, run }]);
  }
}

function isWanted(number: number, { agent, status }: RunQuery): boolean {
  return (agent === undefined || number % 2 === 0) && (status === undefined || number % 3 === 0);
}

async function fill({ starts, continued, summarisedFirst }: Walk, backlog: Backlog): Promise<void> {
  for (const [index, start] of starts.entries()) {
    await backlog.add(start);
    if (continued[index] !== true) continue;
    await backlog.summariseRun(index + 1);
    await backlog.continue(index + 1);
  }
  backlog.begin();
  await backlog.summarise(summarisedFirst);
}

async function walk(
  { starts, arrivals, spansMeanwhile, perPage, limit, filter }: Walk,
  backlog: Backlog,
): Promise<RunSummary[]> {
  const found: RunSummary[] = [];
  const coming = [...arrivals];
  const meanwhile = [...spansMeanwhile];
  let cursor: string | undefined;
  do {
    const query = { ...filter, ...(cursor === undefined ? {} : { cursor }) };
    const asked = await store.lastChange();
    for (const pick of meanwhile.shift() ?? []) await backlog.continue((pick % starts.length) + 1);
    const page = await store.listRuns(backlog.tenant, query, limit, asked);
    found.push(...page.runs);
    cursor = page.next;
    const start = coming.shift();
    if (start !== undefined) await backlog.add(start);
    await backlog.summarise(perPage);
  } while (cursor !== undefined);
  return found;
}

describe('a walk over complete pages', () => {
  it('has every run that was there before it once, in whatever order summaries are made, runs arrive and go on', async () => {
    await fc.assert(
      fc.asyncProperty(walks, async (given) => {
        const backlog = new Backlog(given.picks);
        await fill(given, backlog);
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
