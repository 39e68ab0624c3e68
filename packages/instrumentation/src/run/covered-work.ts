import { context as contexts, createContextKey } from '@opentelemetry/api';
import { runInContext } from '../host/run-in-context.ts';
import { type CrossingScope, scopeOf } from './crossing-scope.ts';

/** Under which a context holds the crossing directly inside which a wrapped client is at work; null where none encloses it. */
const COVERED_KEY = createContextKey('reenact.covered-work.1');

/** Runs what a wrapped client does beside its crossings, and whatever comes of it: a replay leaves it out, with the connections it opens. */
export function coveredWork<Result>(work: () => Result): Result {
  const active = contexts.active();
  return runInContext(active.setValue(COVERED_KEY, scopeOf(active) ?? null), work);
}

/** Whether the code here, directly inside `scope`, is a wrapped client's. What listens to it and opens a crossing is not. */
export function isCoveredWork(scope: CrossingScope | undefined): boolean {
  const covered = contexts.active().getValue(COVERED_KEY);
  return covered !== undefined && covered === (scope ?? null);
}
