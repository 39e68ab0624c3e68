import { type Context, context as contexts, type Link, type SpanContext, trace } from '@opentelemetry/api';
import { enclosingSpan } from '../host/enclosing-span.ts';
import { scopeOf } from '../run/crossing-scope.ts';
import { isInSpanOfProcess } from '../run/spans-of-process.ts';

/** Where a crossing begins, and what its span says of the trace that it would have been in. */
export interface PlaceInRun {
  readonly base: Context;
  readonly links: readonly Link[];
}

/** A span of another trace than the run's that the code forced to be a root; what came from another process is none. */
function isForcedRoot(span: SpanContext | undefined, traceId: string): boolean {
  return span === undefined || (span.traceId !== traceId && span.isRemote !== true);
}

/** The span of the run of the process that a run begins in: it is a trace of its own, and says where it came from. */
function spanLeft(base: Context): Link[] {
  const active = contexts.active();
  if (enclosingSpan(base) !== undefined || !isInSpanOfProcess(active)) return [];
  const left = enclosingSpan(active);
  return left === undefined ? [] : [{ context: left }];
}

/**
 * An app may force a span to be a root (`root: true`), which begins another trace in the middle of a run; some frameworks do so for each
 * of their flows. What is called in there is the run's all the same, and its recording is one trace: the crossing stands below the
 * crossing around it, and links to the forced root. Once the run has ended, what it left behind begins runs of its own there.
 */
export function placedInRun(base: Context): PlaceInRun {
  const around = scopeOf(base);
  if (around === undefined) return { base, links: spanLeft(base) };
  if (around.run.openRoots === 0) return { base, links: [] };
  const enclosing = enclosingSpan(base);
  if (!isForcedRoot(enclosing, around.traceId)) return { base, links: [] };
  const { traceId, spanId, traceFlags } = around;
  return {
    base: trace.setSpanContext(base, { traceId, spanId, traceFlags }),
    links: enclosing === undefined ? [] : [{ context: enclosing }],
  };
}
