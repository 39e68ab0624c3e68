import { type Context, context as contexts } from '@opentelemetry/api';
import { enclosingSpan, guarded, scopeOf } from '@reenact/instrumentation';

/**
 * The context a later step of a call runs in: the active one where that still belongs to the crossing in which the call was
 * made, else the one of then. A streamed answer is driven by whoever reads it, which may be another request.
 */
export function callContext(madeIn: Context): Context {
  return guarded('finding the context of a call', () => stillIn(contexts.active(), madeIn), madeIn);
}

function stillIn(active: Context, madeIn: Context): Context {
  if (scopeOf(active) !== scopeOf(madeIn)) return madeIn;
  return enclosingSpan(active) === undefined ? madeIn : active;
}
