import type { Context } from '@opentelemetry/api';
import { inboundContext, POSITION_MEMBER, withoutPositionMember } from '@reenact/instrumentation';
import type { InboundHead } from './inbound-event.ts';

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

/** Where the run of a request stands. The position of a replay is taken out of what the host sees. */
export function requestContext(head: InboundHead): Context {
  const { headers } = head;
  const context = inboundContext({ carrier: headers, headers, baggage: headers.baggage });
  hidePosition(head);
  return context;
}
