import { type Context, context as contexts } from '@opentelemetry/api';
import { scopeOf } from '../run/crossing-scope.ts';
import type { RunUnderWay } from '../run/run-under-way.ts';

/**
 * Where the listeners of a signal run that the platform would call in the context that is active here: undefined leaves them there. One that was
 * added outside of every run, as most are, belongs to the run that the program has begun, where that is the only one. A request is none: what a
 * service does about a signal is done for all of them.
 */
export function listenersPlace(runs: readonly RunUnderWay[]): Context | undefined {
  const around = scopeOf(contexts.active());
  if (around !== undefined && around.run.openRoots > 0) return undefined;
  const [only, ...others] = runs;
  return only?.kind === 'run' && others.length === 0 ? only.context : undefined;
}
