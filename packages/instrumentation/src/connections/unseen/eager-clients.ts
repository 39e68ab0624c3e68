import { processState } from '@reenact/trace-model';
import { EAGER_CLIENTS_MAX } from '../../limits.ts';

/**
 * What tells one attempt of a client to connect from the next; undefined where it is not about to connect, or not to this place. An attempt is
 * good for one connection.
 */
type AttemptOf = (client: object, place: string) => unknown;

interface EagerClient {
  readonly drivers: readonly string[];
  readonly client: WeakRef<object>;
  readonly attemptOf: AttemptOf;
  lastAttempt: unknown;
}

const clients = processState('eager-clients.2', () => new Set<EagerClient>());

/**
 * Takes a client that was wrapped after it was made, and connects by itself a moment later: a replay keeps it from that. `drivers`: the
 * packages that it may be of.
 */
export function noteEagerClient(drivers: readonly string[], client: object, attemptOf: AttemptOf): void {
  for (const known of clients) if (known.client.deref() === undefined) clients.delete(known);
  if (clients.size >= EAGER_CLIENTS_MAX) return;
  clients.add({ drivers, client: new WeakRef(client), attemptOf, lastAttempt: undefined });
}

/** Whether a connection that this driver opens now, to this place, is that of a wrapped client, which then has had it. */
export function isOfEagerClient(driver: string, place: string): boolean {
  for (const known of clients) {
    const client = known.drivers.includes(driver) ? known.client.deref() : undefined;
    const attempt = client && known.attemptOf(client, place);
    if (attempt === undefined || attempt === known.lastAttempt) continue;
    known.lastAttempt = attempt;
    return true;
  }
  return false;
}
