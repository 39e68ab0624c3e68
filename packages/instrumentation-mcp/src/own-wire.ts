import { context as contexts } from '@opentelemetry/api';
import { runInContext, withOwnedWire } from '@reenact/instrumentation';
import type { Connection } from './connection.ts';
import type { McpTransport } from './internal-types.ts';

type Member = (...parameters: unknown[]) => unknown;

/**
 * Makes everything that a transport sends part of the connection, and no HTTP crossing of its own, also where nobody waits
 * for it: the cancellation of a request, the end of a session. A replay sends none of it. What is sent is shown to the connection.
 */
export function ownWire(transport: McpTransport, connection: Connection): void {
  for (const key of ['send', 'terminateSession'] as const) {
    const own: unknown = Reflect.get(transport, key);
    if (typeof own !== 'function') continue;
    const owned = function owned(this: unknown, ...parameters: unknown[]): unknown {
      if (key === 'send') connection.sent(parameters[0]);
      return runInContext(withOwnedWire(contexts.active()), () => Reflect.apply(own as Member, this, parameters));
    };
    Object.defineProperty(transport, key, { value: owned, configurable: true, writable: true, enumerable: false });
    if (key === 'send') connection.seesAnswers = true;
  }
}
