import type { Metadata } from '@grpc/grpc-js';
import { type Context, context as contexts, propagation, ROOT_CONTEXT } from '@opentelemetry/api';
import {
  enclosingSpan,
  incomingTraceContext,
  POSITION_MEMBER,
  scopeOf,
  travelledPosition,
  withoutPositionMember,
  withPosition,
} from '@reenact/instrumentation';

const getter = {
  get: (metadata: Metadata, key: string): string[] => metadata.get(key).map(String),
  keys: (metadata: Metadata): string[] => Object.keys(metadata.getMap()),
};

/** The position is ours to hand on: as baggage the host's propagator would send it to everybody. */
function withoutPosition(read: Context): Context {
  const baggage = propagation.getBaggage(read);
  if (baggage?.getEntry(POSITION_MEMBER) === undefined) return read;
  return propagation.setBaggage(read, baggage.removeEntry(POSITION_MEMBER));
}

/** Takes the position out of what the host sees of a call: whoever forwards its metadata forwards none. */
function hidePosition(metadata: Metadata): void {
  const given = metadata.get('baggage').map(String);
  if (!given.some((value) => value.includes(POSITION_MEMBER))) return;
  metadata.remove('baggage');
  for (const value of given) {
    const left = withoutPositionMember(value);
    if (left !== undefined) metadata.add('baggage', left);
  }
}

function extracted(outside: Context, metadata: Metadata): Context {
  // Read off outside of a run that goes on here, too: the call is none of its own.
  const read = contexts.with(outside, () => propagation.extract(outside, metadata, getter));
  return incomingTraceContext(withoutPosition(read), metadata.getMap());
}

/**
 * Where the run of a call stands: below the host's own span of it, else below what the caller sent; and in the replay whose
 * position came along, which is taken out of what the host sees.
 */
export function inboundContext(metadata: Metadata): Context {
  const active = contexts.active();
  const outside = scopeOf(active) === undefined ? active : ROOT_CONTEXT;
  const base = enclosingSpan(outside) === undefined ? extracted(outside, metadata) : outside;
  const position = travelledPosition(metadata.get('baggage').map(String));
  hidePosition(metadata);
  return position === undefined ? base : withPosition(base, position);
}
