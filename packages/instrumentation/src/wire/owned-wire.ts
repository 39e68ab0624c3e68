import { type Context, createContextKey } from '@opentelemetry/api';

const OWNED_KEY = createContextKey('reenact.owned-wire.1');

/**
 * A context for code that sends the wire request of a crossing which keeps the exchange itself: the requests it makes are
 * no crossings of their own (DESIGN section 4, "who is the crossing").
 */
export function withOwnedWire(context: Context): Context {
  return context.setValue(OWNED_KEY, true);
}

/** Whether a crossing around already keeps what goes over the wire here. */
export function isWireOwned(context: Context): boolean {
  return context.getValue(OWNED_KEY) === true;
}
