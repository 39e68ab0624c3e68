import type { Store } from '@reenact/collector';
import type { RunFilters } from '@reenact/trace-model/collector-api';
import { expect } from 'vitest';
import { traceIdOf } from '../testbed.ts';
import { type Content, PROVIDER } from './model-contents.ts';
import { type ExpectedRun, type ExpectedSpan, rootOf, type StoreModel } from './store-model.ts';

const RUNS_MAX = 100;

/** Each thing that runs are found by, and whether a run is to be found by it. */
const QUESTIONS: readonly (readonly [RunFilters, (run: ExpectedRun) => boolean])[] = [
  [{}, () => true],
  [{ status: 'ok' }, ({ spans }) => statusOf(spans) === 'ok'],
  [{ status: 'error' }, ({ spans }) => statusOf(spans) === 'error'],
  ...['ada', 'bob'].map((user) => saying({ user }, (said) => said.user === user)),
  ...['north', 'south'].map((tenant) => saying({ tenant }, (said) => said.tenant === tenant)),
  ...['small', 'large'].map((model) => saying({ model }, (said) => said.model === model)),
  [{ user: 'ada', status: 'error' }, ({ spans }) => statusOf(spans) === 'error' && spans[0]?.said.user === 'ada'],
  [{ kept: true }, ({ kept }) => kept !== undefined],
  ...['amber', 'birch', 'cedar', 'delta'].map((text): (typeof QUESTIONS)[number] => [
    { text },
    ({ spans }) => crossingsOf(spans).some((span) => wordOf(span) === text),
  ]),
];

function saying(filters: RunFilters, isSought: (said: Content) => boolean): (typeof QUESTIONS)[number] {
  return [filters, ({ spans }) => spans.some(({ said }) => isSought(said))];
}

function statusOf(spans: readonly ExpectedSpan[]): 'ok' | 'error' {
  return rootOf(spans)?.said.isFailed === true ? 'error' : 'ok';
}

/** Where Reenact recorded some, what another SDK tells of its agents and tools is code that runs again. */
function crossingsOf(spans: readonly ExpectedSpan[]): readonly ExpectedSpan[] {
  const isForeign = ({ form }: ExpectedSpan) => form === 'plain';
  return spans.every(isForeign) ? spans : spans.filter((span) => !isForeign(span) || span.said.model !== undefined);
}

/** A tool that has not ended gave nothing. */
function wordOf({ form, said }: ExpectedSpan): string | undefined {
  return form === 'pending' && said.result !== undefined ? undefined : said.word;
}

function distinct(values: readonly (string | undefined)[]): string[] {
  return [...new Set(values.filter((value) => value !== undefined))].sort();
}

/** What a list is to say of a run. */
function summaryOf({ trace, spans, kept }: ExpectedRun): object {
  const conflictingSpans = spans.filter(({ isConflicting }) => isConflicting).length;
  return {
    traceId: traceIdOf(trace),
    status: statusOf(spans),
    spanCount: spans.length,
    conflictingSpans,
    users: distinct(spans.map(({ said }) => said.user)),
    tenants: distinct(spans.map(({ said }) => said.tenant)),
    models: distinct(spans.map(({ said }) => said.model)),
    outputTokens: spans.reduce((sum, { said }) => sum + (said.tokens ?? 0), 0),
    kept,
  };
}

async function listed(store: Store, tenant: string, filters: RunFilters): Promise<object[]> {
  const { runs } = await store.listRuns(tenant, filters, RUNS_MAX);
  return runs.map(({ traceId, status, spanCount, conflictingSpans = 0, users = [], tenants = [], ...run }) => {
    const { models, outputTokens, kept } = run;
    return { traceId, status, spanCount, conflictingSpans, users, tenants, models, outputTokens, kept };
  });
}

function byTrace(runs: readonly object[]): object[] {
  return runs.toSorted((left, right) => JSON.stringify(left).localeCompare(JSON.stringify(right)));
}

/** Calls and tokens by model. */
function usageOf(runs: readonly ExpectedRun[]): object[] {
  const calls = runs.flatMap(({ spans }) => spans.filter(({ said }) => said.model !== undefined));
  const models = Map.groupBy(calls, ({ said }) => said.model);
  return [...models].map(([model, of]) => {
    return {
      provider: PROVIDER,
      model,
      calls: of.length,
      outputTokens: of.reduce((sum, { said }) => sum + (said.tokens ?? 0), 0),
    };
  });
}

/** Of each boundary that was called with the same and did not always give the same, what it gave how often. */
function driftOf(runs: readonly ExpectedRun[]): object[] {
  const observed = runs.flatMap(({ spans }) => crossingsOf(spans).flatMap(observationOf));
  return [...Map.groupBy(observed, ({ boundary }) => boundary)].flatMap(([boundary, of]) => {
    const counts = [...Map.groupBy(of, ({ outcome }) => outcome).values()].map(({ length }) => length);
    return counts.length < 2 ? [] : [{ boundary, crossings: of.length, counts: counts.sort() }];
  });
}

/** Of a tool what another SDK says has all it takes, and of a model ours, which alone tell here what it was asked. */
function observationOf({ form, said }: ExpectedSpan): { readonly boundary: string; readonly outcome: string }[] {
  const [kind, name] = said.boundary;
  const isOurs = form !== 'plain' && form !== 'pending';
  const isObserved = kind === 'tool' ? form === 'plain' : kind === 'model' && isOurs;
  return isObserved && said.word !== undefined ? [{ boundary: `${kind}:${name}`, outcome: said.word }] : [];
}

/** Holds all that a store answers of a tenant's runs, which are all summarised, against a model. */
export async function checkAnswers(store: Store, model: StoreModel, tenant: string): Promise<void> {
  const runs = model.runsOf(tenant);
  for (const [filters, isFound] of QUESTIONS) {
    const expected = runs.filter(isFound);
    const found = await listed(store, tenant, filters);
    expect({ filters, runs: byTrace(found) }).toEqual({ filters, runs: byTrace(expected.map(summaryOf)) });
    const { runs: counted, models } = await store.sumUsage(tenant, filters);
    expect(counted).toBe(expected.length);
    const sums = models.map(({ provider, model, calls, outputTokens }) => ({ provider, model, calls, outputTokens }));
    expect(byTrace(sums)).toEqual(byTrace(usageOf(expected)));
  }
  const { drifts } = await store.listDrift(tenant, {}, RUNS_MAX);
  const given = drifts.map(({ kind, name, crossings, outcomes }) => {
    return { boundary: `${kind}:${name}`, crossings, counts: outcomes.map((outcome) => outcome.crossings).sort() };
  });
  expect(byTrace(given)).toEqual(byTrace(driftOf(runs)));
}
