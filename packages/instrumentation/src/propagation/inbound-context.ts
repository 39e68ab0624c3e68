import { type Context, context as contexts, propagation, ROOT_CONTEXT, type TextMapGetter } from '@opentelemetry/api';
import { enclosingSpan } from '../host/enclosing-span.ts';
import { scopeOf } from '../run/crossing-scope.ts';
import { withPosition } from '../run/position.ts';
import { contextWithoutPosition } from './context-without-position.ts';
import { travelledPosition } from './travelled-position.ts';
import { incomingTraceContext } from './travelled-trace-context.ts';

/** What a call from outside brought along, as its library holds it. */
export interface BroughtAlong<Carrier> {
  readonly carrier: Carrier;
  /** How propagators read the carrier; they read an object of headers without. */
  readonly getter?: TextMapGetter<Carrier>;
  /** The same by lower-case name. */
  readonly headers: object;
  readonly baggage: string | string[] | undefined;
}

function extracted<Carrier>(outside: Context, { carrier, getter, headers }: BroughtAlong<Carrier>): Context {
  // Read off outside of a run that goes on here, too: the call is none of its own.
  const read = contexts.with(outside, () => propagation.extract(outside, carrier, getter));
  return incomingTraceContext(contextWithoutPosition(read), headers);
}

/**
 * Where the run of a call from outside stands: below the host's own span of it, else below what the caller sent; and in the replay whose
 * position came along. A server that was started inside a run is not a part of that run.
 */
export function inboundContext<Carrier>(brought: BroughtAlong<Carrier>): Context {
  const active = contexts.active();
  const outside = scopeOf(active) === undefined ? active : ROOT_CONTEXT;
  const base = enclosingSpan(outside) === undefined ? extracted(outside, brought) : outside;
  const position = travelledPosition(brought.baggage);
  return position === undefined ? base : withPosition(base, position);
}
