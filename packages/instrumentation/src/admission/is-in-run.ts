import type { Context } from '@opentelemetry/api';
import { scopeOf } from '../run/crossing-scope.ts';
import { gate } from './current-gate.ts';

/** Whether a context is inside a run that ends before its process does: what comes later by itself can be told again there. */
export function isInRun(context: Context): boolean {
  const around = scopeOf(context);
  const root = gate.openedRootContext();
  const ofProcess = root === undefined ? undefined : scopeOf(root)?.traceId;
  return around !== undefined && around.traceId !== ofProcess;
}
