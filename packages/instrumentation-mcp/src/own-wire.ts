import { context as contexts } from '@opentelemetry/api';
import { coveredWork, runInContext, withOwnedWire } from '@reenact/instrumentation';
import type { Connection } from './connection.ts';
import type { McpTransport } from './internal-types.ts';

type Member = (...parameters: unknown[]) => unknown;

/**
 * Makes everything that a transport sends part of the connection, and no HTTP crossing of its own, also where nobody waits
 * for it: the cancellation of a request, the end of a session, the answer to a question of the server. A replay sends none of it, so a
 * run lacks nothing by it. What is sent is shown to the connection.
 */
export function ownWire(transport: McpTransport, connection: Connection): void {
  for (const key of ['send', 'terminateSession'] as const) {
    const own: unknown = Reflect.get(transport, key);
    if (typeof own !== 'function') continue;
    const owned = function owned(this: unknown, ...parameters: unknown[]): unknown {
      if (key === 'send') connection.sent(parameters[0]);
      const call = (): unknown => Reflect.apply(own as Member, this, parameters);
      return runInContext(withOwnedWire(contexts.active()), () => coveredWork(call));
    };
    Object.defineProperty(transport, key, { value: owned, configurable: true, writable: true, enumerable: false });
    if (key === 'send') connection.seesAnswers = true;
  }
}
