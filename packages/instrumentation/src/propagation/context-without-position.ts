import { type Context, propagation } from '@opentelemetry/api';
import { POSITION_MEMBER } from './travelled-position.ts';

/** A context that was read off a call, without the position in its baggage: that is ours to hand on, and the host's propagator would send it to everybody. */
export function contextWithoutPosition(read: Context): Context {
  const baggage = propagation.getBaggage(read);
  if (baggage?.getEntry(POSITION_MEMBER) === undefined) return read;
  return propagation.setBaggage(read, baggage.removeEntry(POSITION_MEMBER));
}
