import type { Context } from '@opentelemetry/api';
import { travelsToUrl } from './propagation-list.ts';
import { positionBaggage, withoutPositionMember } from './travelled-position.ts';
import { outgoingTraceContext } from './travelled-trace-context.ts';

/** A header that a request is sent with in place of the host's own; undefined: without it. */
export type PropagatedHeader = readonly [name: string, value: string | undefined];

function baggageOf(given: string | undefined, member: string | undefined): string | undefined {
  const kept = given === undefined ? undefined : withoutPositionMember(given);
  return [kept, member].filter((part) => part !== undefined && part !== '').join(',') || undefined;
}

/**
 * What a request says of the run it belongs to, beside what the host lets it say: the trace context of its crossing, and inside a
 * replay the position at which the other process is to look up. Both only towards the propagation list; elsewhere a position
 * that the host forwards is taken out. `given`: the value of one of the host's headers, by its lower-case name.
 */
export function propagatedHeaders(
  url: URL,
  given: (name: string) => string | undefined,
  context: Context,
): readonly PropagatedHeader[] {
  const isListed = travelsToUrl(url);
  const before = given('baggage');
  const baggage = baggageOf(before, isListed ? positionBaggage(context) : undefined);
  const trace = isListed && given('traceparent') === undefined ? Object.entries(outgoingTraceContext(context)) : [];
  return [...(baggage === before ? [] : [['baggage', baggage] as const]), ...trace];
}
