import { CIRCUMSTANCES, type Drift } from '../collector-api/drift-answer.ts';

/**
 * What the circumstances of a drift say about its outcomes. A circumstance that changed with them is named also where it does
 * not tell them all apart, as where a new model gives another answer each time.
 */
export function driftConclusion({ outcomes, explainedBy }: Pick<Drift, 'outcomes' | 'explainedBy'>): string {
  if (explainedBy.length > 0) return `Each outcome has its own ${explainedBy.join(', and its own ')}.`;
  const changed = CIRCUMSTANCES.filter((name) => {
    const values = outcomes.map(({ by }) => (by[name].length === 1 ? (by[name][0]?.value ?? '') : ''));
    return !values.includes('') && new Set(values).size > 1;
  });
  if (changed.length === 0) return 'No circumstance that was recorded tells the outcomes apart.';
  return `Each outcome came under one ${changed.join(' and one ')} only, but not each of these had one outcome only.`;
}
