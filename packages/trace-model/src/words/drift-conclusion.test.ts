import { describe, expect, it } from 'vitest';
import type { Circumstance, Drift } from '../collector-api/drift-answer.ts';
import { driftConclusion } from './drift-conclusion.ts';

type Outcome = Drift['outcomes'][number];

/** An outcome that was seen once under each of these values. */
function outcomeUnder(values: Partial<Record<Circumstance, string[]>>): Outcome {
  const of = (name: Circumstance) => (values[name] ?? ['']).map((value) => ({ value, crossings: 1 }));
  const by = { commit: of('commit'), model: of('model'), fingerprint: of('fingerprint'), region: of('region') };
  const at = '2026-11-22T10:00:00.000Z';
  return { outcome: 'a'.repeat(32), crossings: 1, firstAt: at, lastAt: at, traceId: '1', spanId: '2', by };
}

describe('what is concluded of a drift', () => {
  it('is what tells the outcomes apart', () => {
    const outcomes = [outcomeUnder({ model: ['m-1'] }), outcomeUnder({ model: ['m-2'] })];
    expect(driftConclusion({ outcomes, explainedBy: ['model', 'fingerprint'] })).toBe(
      'Each outcome has its own model, and its own fingerprint.',
    );
  });

  it('is also what changed with them, where a new model has no answer of its own', () => {
    const commit = ['c-1'];
    const outcomes = ['m-1', 'm-2', 'm-2'].map((model) => outcomeUnder({ commit, model: [model] }));
    expect(driftConclusion({ outcomes, explainedBy: [] })).toBe(
      'Each outcome came under one model only, but not each of these had one outcome only.',
    );
  });

  it.each([
    ['one value', [outcomeUnder({ commit: ['c-1'] }), outcomeUnder({ commit: ['c-1'] })]],
    ['a value that is not known', [outcomeUnder({ model: ['m-1'] }), outcomeUnder({})]],
    ['an outcome under two values', [outcomeUnder({ model: ['m-1', 'm-2'] }), outcomeUnder({ model: ['m-2'] })]],
  ])('is nothing where there is %s', (_, outcomes) => {
    expect(driftConclusion({ outcomes, explainedBy: [] })).toContain('No circumstance that was recorded');
  });
});
