import type { RunTree } from '@reenact/trace-model/collector-api';
import { expect, it } from 'vitest';
import { failedSpan } from './failed-span.ts';

/** A failed run with root `a` and these other spans, in order; those that failed end in an exclamation mark. */
function tree(planned: readonly string[], members: object = {}): RunTree {
  const otherSpans = planned.map((plan) => ({ spanId: plan[0], status: plan.endsWith('!') ? 'error' : 'ok' }));
  return { run: { rootSpanId: 'a', status: 'error' }, crossings: [], otherSpans, ...members } as unknown as RunTree;
}

it('is the root that failed, else the last span that did', () => {
  expect(failedSpan(tree(['a!', 'b!']))?.spanId).toBe('a');
  expect(failedSpan(tree(['a', 'b!', 'c!', 'd']))?.spanId).toBe('c');
  expect(failedSpan(tree(['a']))).toBeUndefined();
});

it('is none where a crossing failed, or the run did not', () => {
  expect(failedSpan(tree(['a!'], { crossings: [{ spanId: 'b', outcome: 'threw' }] }))).toBeUndefined();
  expect(failedSpan(tree(['b!'], { run: { rootSpanId: 'a', status: 'ok' } }))).toBeUndefined();
});
