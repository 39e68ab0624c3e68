import { type Context, type Link, trace } from '@opentelemetry/api';
import { ATTR_REENACT_PROCESS_SET_UP } from '@reenact/semconv/reenact';
import { scopeOf } from './crossing-scope.ts';

/**
 * The link by which the root of a run says what its program did before: the run of the process, and how many crossings had begun
 * directly inside that by now (docs/adr/0033). Empty where the process did nothing, or nobody opened its run. `processRun`: the
 * context of the run of the process, where that is open.
 */
export function setUpLinks(processRun: Context | undefined): Link[] {
  if (processRun === undefined) return [];
  const context = trace.getSpanContext(processRun);
  const scope = scopeOf(processRun);
  if (context === undefined || scope === undefined || scope.nextOrder === 0) return [];
  return [{ context, attributes: { [ATTR_REENACT_PROCESS_SET_UP]: scope.nextOrder } }];
}

/** Whether a link leads from a run to what its program did before it, or beside it. */
export function isSetUpLink({ attributes }: Link): boolean {
  return attributes?.[ATTR_REENACT_PROCESS_SET_UP] !== undefined;
}

/** The same link for a run that had begun before the run of the process did: nothing was called there before it, and something is beside it. */
export function linkBeside(processRun: Context | undefined): Link | undefined {
  const context = processRun === undefined ? undefined : trace.getSpanContext(processRun);
  return context === undefined ? undefined : { context, attributes: { [ATTR_REENACT_PROCESS_SET_UP]: 0 } };
}
