import type { IncomingHttpHeaders } from 'node:http';
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
import type { InboundHead } from './inbound-event.ts';

/** The position is ours to hand on: as baggage the host's propagator would send it to everybody. */
function withoutPosition(read: Context): Context {
  const baggage = propagation.getBaggage(read);
  if (baggage?.getEntry(POSITION_MEMBER) === undefined) return read;
  return propagation.setBaggage(read, baggage.removeEntry(POSITION_MEMBER));
}

function extracted(outside: Context, headers: IncomingHttpHeaders): Context {
  // Read off outside of a run that goes on here, too: the request is none of its own.
  const read = contexts.with(outside, () => propagation.extract(outside, headers));
  return incomingTraceContext(withoutPosition(read), headers);
}

/** Takes the position out of what the host sees of a request: whoever forwards its headers forwards none. */
function hidePosition({ rawHeaders, headers }: InboundHead): void {
  const { baggage } = headers;
  if (typeof baggage !== 'string' || !baggage.includes(POSITION_MEMBER)) return;
  const left = withoutPositionMember(baggage);
  if (left === undefined) delete headers.baggage;
  else headers.baggage = left;
  const kept: string[] = [];
  for (let index = 0; index + 1 < rawHeaders.length; index += 2) {
    const [name = '', value = ''] = rawHeaders.slice(index, index + 2);
    const shown = name.toLowerCase() === 'baggage' ? withoutPositionMember(value) : value;
    if (shown !== undefined) kept.push(name, shown);
  }
  rawHeaders.splice(0, rawHeaders.length, ...kept);
}

/**
 * Where the run of a request stands: below the host's own span of it, else below what the caller sent; and in the replay whose
 * position came along, which is taken out of what the host sees. A server that was started inside a run is not a part of that
 * run.
 */
export function inboundContext(head: InboundHead): Context {
  const active = contexts.active();
  const outside = scopeOf(active) === undefined ? active : ROOT_CONTEXT;
  const base = enclosingSpan(outside) === undefined ? extracted(outside, head.headers) : outside;
  const position = travelledPosition(head.headers.baggage);
  hidePosition(head);
  return position === undefined ? base : withPosition(base, position);
}
