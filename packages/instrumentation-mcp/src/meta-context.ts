import { type Context, context as contexts, propagation, trace } from '@opentelemetry/api';
import {
  contextWithoutPosition,
  guarded,
  membersOf,
  POSITION_MEMBER,
  positionBaggage,
  stringOf,
  travelledPosition,
  withoutPositionMember,
  withPosition,
} from '@reenact/instrumentation';
import type { McpMessage } from './internal-types.ts';

const carrierKeys = ['traceparent', 'tracestate', 'baggage'] as const;

/**
 * The message with the trace context in `params._meta`, as the host's own propagator writes it. `withReplay`: a replay's
 * position travels along, to a server on this machine. The message itself where there is nothing to tell.
 */
export function withMetaContext<Message extends McpMessage>(
  message: Message,
  context: Context,
  withReplay: boolean,
): Message {
  const carrier: Record<string, unknown> = {};
  guarded('injecting a context', () => propagation.inject(context, carrier), undefined);
  const position = withReplay ? positionBaggage(context) : undefined;
  if (position !== undefined) carrier.baggage = [stringOf(carrier.baggage), position].filter(Boolean).join(',');
  if (Object.keys(carrier).length === 0) return message;
  // What the caller wrote into _meta wins.
  const meta = { ...carrier, ...membersOf(message.params?._meta) };
  return { ...message, params: { ...message.params, _meta: meta } };
}

/**
 * The context that came in the `params._meta` of a request: the caller's span, its baggage, and the position of a replay that
 * this process takes part in. Undefined where none came.
 */
export function contextOfMeta(message: McpMessage): Context | undefined {
  const meta = membersOf(message.params?._meta);
  const carrier = Object.fromEntries(
    carrierKeys.flatMap((key) => (typeof meta[key] === 'string' ? [[key, meta[key]]] : [])),
  );
  if (Object.keys(carrier).length === 0) return undefined;
  const active = contexts.active();
  const extracted = contextWithoutPosition(propagation.extract(active, carrier));
  const position = travelledPosition(stringOf(carrier.baggage));
  const isJoined = trace.getSpanContext(extracted)?.spanId !== trace.getSpanContext(active)?.spanId;
  if (position === undefined) return isJoined || extracted !== active ? extracted : undefined;
  return withPosition(extracted, position);
}

/** Takes the position out of what a handler sees of a request: whoever forwards its metadata forwards none. */
export function hidePosition(message: McpMessage): void {
  const meta = membersOf(message.params?._meta);
  const { baggage } = meta;
  if (typeof baggage !== 'string' || !baggage.includes(POSITION_MEMBER)) return;
  const left = withoutPositionMember(baggage);
  if (left === undefined) Reflect.deleteProperty(meta, 'baggage');
  else Reflect.set(meta, 'baggage', left);
}
