import fc from 'fast-check';
import type { CrossingPlan } from './recording-builder.ts';

const labels = ['tool:quote', 'tool:order', 'model:openai.chat', 'retrieval:policies', 'agent:analyst'] as const;

const values = fc.oneof(
  fc.constantFrom('a', 'b', 'sell 1,000 shares'),
  fc.integer({ min: 0, max: 3 }),
  fc.record({ symbol: fc.constantFrom('ACME', 'GLOBEX'), count: fc.nat(3) }, { noNullPrototype: true }),
);

/** Crossings with few names and few values, so that equal ones stand beside each other; `depth` levels below each. */
export function arbitraryPlan(depth: number): fc.Arbitrary<CrossingPlan> {
  return fc.record(
    {
      label: fc.constantFrom(...labels),
      input: fc.array(values, { maxLength: 2 }),
      output: values,
      children: depth === 0 ? fc.constant([]) : fc.array(arbitraryPlan(depth - 1), { maxLength: 4 }),
    },
    { noNullPrototype: true },
  );
}

/** A run: one agent with crossings of three levels. */
export const arbitraryRun: fc.Arbitrary<CrossingPlan> = fc
  .array(arbitraryPlan(2), { minLength: 1, maxLength: 6 })
  .map((children) => ({ label: 'agent:root', input: [], output: 'done', children }));

/** Index path of every crossing below the root. */
export function placesBelow(plan: CrossingPlan): number[][] {
  return (plan.children ?? []).flatMap((child, index) => [
    [index],
    ...placesBelow(child).map((place) => [index, ...place]),
  ]);
}

/** A copy of the plan in which the crossing at a place is replaced by others. */
export function replaceAt(
  plan: CrossingPlan,
  place: readonly number[],
  change: (crossing: CrossingPlan) => readonly CrossingPlan[],
): CrossingPlan {
  const [index = 0, ...rest] = place;
  const children = (plan.children ?? []).flatMap((child, at) => {
    if (at !== index) return [child];
    return rest.length === 0 ? change(child) : [replaceAt(child, rest, change)];
  });
  return { ...plan, children };
}
