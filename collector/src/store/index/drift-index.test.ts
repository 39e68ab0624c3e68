import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { DatabaseSync } from 'node:sqlite';
import { CIRCUMSTANCES, type Circumstance, type Drift, type DriftQuery } from '@reenact/trace-model/collector-api';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import type { Observation } from '../store.ts';
import { DriftIndex } from './drift-index.ts';
import { DriftTable } from './drift-table.ts';
import { openIndex } from './open-index.ts';
import { RunSum } from './run-sum.ts';

const TENANTS = ['bank', 'shop'] as const;
const TRACES = 6;

const tenantOf = (trace: number) => TENANTS[trace % TENANTS.length] as string;
const isoOf = (second: number) => new Date(second * 1000).toISOString();
const digest = (number: number) => Buffer.alloc(16, number);
const hexOf = (bytes: Uint8Array) => Buffer.from(bytes).toString('hex');

const second = fc.nat({ max: 3 });
const circumstances = fc.dictionary(fc.constantFrom(...CIRCUMSTANCES), fc.constantFrom('a', 'b', 'c'));
const observation: fc.Arbitrary<Observation> = fc
  .record({ input: fc.nat({ max: 3 }), outcome: fc.nat({ max: 2 }), at: second, circumstances, service: fc.nat(1) })
  .map(({ input, outcome, at, circumstances, service }) => ({
    spanId: '',
    kind: input < 2 ? 'model' : 'tool',
    name: `call ${input >> 1}`,
    service: `service ${service}`,
    input: digest(input),
    outcome: digest(outcome),
    startNs: BigInt(at) * 1_000_000_000n,
    circumstances,
  }));

const cases = fc.record({
  /** What a trace was seen to do, in place of what it was seen to do before; nothing where it was deleted. */
  writes: fc.array(
    fc.tuple(
      fc.nat({ max: TRACES - 1 }),
      fc.option(fc.array(observation, { minLength: 2, maxLength: 9 }), { freq: 3, nil: undefined }),
    ),
    { minLength: 2, maxLength: 12 },
  ),
  query: fc.oneof(
    fc.constant({}),
    fc.record({ since: second.map(isoOf) }),
    fc.record({ until: second.map(isoOf) }),
    fc.record({ kind: fc.constantFrom('model', 'tool'), name: fc.constantFrom('call 0', 'call 1') }),
    fc.record({ service: fc.constantFrom('service 0', 'service 1') }),
  ),
  limit: fc.integer({ min: 1, max: 3 }),
});

type Seen = Observation & { readonly trace: number };

function byText<Item>(items: Iterable<Item>, textOf: (item: Item) => string): Map<string, Item[]> {
  return Map.groupBy(
    [...items].toSorted((one, other) => (textOf(one) < textOf(other) ? -1 : 1)),
    textOf,
  );
}

function timesOf(seen: readonly Seen[]) {
  const starts = seen.map(({ startNs }) => Number(startNs / 1_000_000_000n));
  return { crossings: seen.length, firstAt: isoOf(Math.min(...starts)), lastAt: isoOf(Math.max(...starts)) };
}

function countsOf(seen: readonly Seen[], name: Circumstance) {
  const found = byText(seen, ({ circumstances }) => circumstances[name] ?? '');
  return [...found].map(([value, { length }]) => ({ value, crossings: length }));
}

/** What a plain reading of all that was seen says. */
function plainDrifts(all: readonly Seen[], tenant: string, query: DriftQuery): object[] {
  const { since = isoOf(0), until = isoOf(9), kind, name, service } = query;
  const asked = all.filter((seen) => {
    const at = isoOf(Number(seen.startNs / 1_000_000_000n));
    const isNamed = [kind ?? seen.kind, name ?? seen.name, service ?? seen.service];
    const isSo = isNamed.join() === [seen.kind, seen.name, seen.service].join();
    return tenantOf(seen.trace) === tenant && at >= since && at < until && isSo;
  });
  return [...byText(asked, ({ input }) => hexOf(input))]
    .map(([input, seen]) => {
      const outcomes = [...byText(seen, ({ outcome }) => hexOf(outcome))];
      const values = (circumstance: Circumstance) =>
        outcomes.flatMap(([, of]) => countsOf(of, circumstance).map(({ value }) => value));
      return {
        ...{ kind: seen[0]?.kind, name: seen[0]?.name, input, ...timesOf(seen) },
        outcomes: outcomes.map(([outcome, of]) => ({
          ...{ outcome, ...timesOf(of) },
          by: Object.fromEntries(CIRCUMSTANCES.map((circumstance) => [circumstance, countsOf(of, circumstance)])),
        })),
        explainedBy: CIRCUMSTANCES.filter((circumstance) => {
          const found = values(circumstance);
          return !found.includes('') && new Set(found).size === found.length;
        }),
      };
    })
    .filter(({ outcomes }) => outcomes.length > 1)
    .toSorted((one, other) => (`${one.lastAt}${one.input}` < `${other.lastAt}${other.input}` ? 1 : -1));
}

/** Without the example of each outcome, and in an order that ties do not change. */
function comparable({ outcomes, ...drift }: Drift): object {
  const told = outcomes.map(({ traceId: _, spanId: __, by, ...outcome }) => ({
    ...outcome,
    by: Object.fromEntries(
      Object.entries(by).map(([name, counts]) => [
        name,
        counts.toSorted((one, other) => (one.value < other.value ? -1 : 1)),
      ]),
    ),
  }));
  return { ...drift, outcomes: told.toSorted((one, other) => (one.outcome < other.outcome ? -1 : 1)) };
}

/** Writes all of it, and gives what is left. */
function write(
  database: DatabaseSync,
  writes: readonly (readonly [number, readonly Observation[] | undefined])[],
): Seen[] {
  const table = new DriftTable(database);
  const left = new Map<number, readonly Seen[]>();
  for (const [trace, found] of writes) {
    left.delete(trace);
    if (found === undefined) {
      table.remove(trace);
      continue;
    }
    const seen = found.map((one, index) => ({
      ...one,
      trace,
      spanId: `${trace}`.padStart(8, '0').concat(`000000${10 + index}`),
    }));
    table.replace(trace, tenantOf(trace), seen, new RunSum());
    left.set(trace, seen);
  }
  return [...left.values()].flat();
}

/** Page after page, none longer than was asked for, and the last of them not empty where there is more than one. */
function walk(index: DriftIndex, tenant: string, query: DriftQuery, limit: number): Drift[] {
  const found: Drift[] = [];
  let cursor: string | undefined;
  do {
    const { drifts, nextCursor } = index.list(tenant, cursor === undefined ? query : { ...query, cursor }, limit);
    expect(drifts.length).toBeLessThanOrEqual(limit);
    expect(drifts.length > 0 || cursor === undefined).toBe(true);
    found.push(...drifts);
    cursor = nextCursor;
  } while (cursor !== undefined);
  return found;
}

function addTraces(database: DatabaseSync): void {
  const insert = database.prepare(
    'INSERT INTO trace (id, tenant, trace_id, revision, changed_by, start_ns, received_ms) VALUES (?, ?, ?, 1, ?, 0, 0)',
  );
  for (let trace = 0; trace < TRACES; trace += 1) insert.run(trace, tenantOf(trace), digest(trace), trace);
}

it('finds the drift that a plain reading of all that was seen finds, page by page, whatever was written again or deleted', () => {
  const directory = mkdtempSync(join(tmpdir(), 'reenact-drift-index-'));
  const database = openIndex(directory, false);
  try {
    addTraces(database);
    const index = new DriftIndex(database);
    fc.assert(
      fc.property(cases, ({ writes, query, limit }) => {
        database.exec('DELETE FROM observation; DELETE FROM drifting');
        const all = write(database, writes);
        for (const tenant of TENANTS) {
          const found = walk(index, tenant, query, limit);
          expect(found.map(comparable)).toEqual(plainDrifts(all, tenant, query));
          for (const { outcomes } of found) {
            const counts = outcomes.map(({ crossings }) => crossings);
            expect(counts).toEqual(counts.toSorted((one, other) => other - one));
            for (const { traceId, spanId, lastAt } of outcomes) {
              const example = all.find((seen) => seen.spanId === spanId);
              expect([traceId, example && isoOf(Number(example.startNs) / 1e9)]).toEqual([
                example && hexOf(digest(example.trace)),
                lastAt,
              ]);
            }
          }
        }
      }),
      { numRuns: 300 },
    );
  } finally {
    database.close();
    rmSync(directory, { recursive: true, force: true });
  }
});
