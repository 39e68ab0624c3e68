import { guarded } from '@reenact/instrumentation';
import { isOfKnownErrorClass, registerErrorClass } from '@reenact/trace-model';
import { MCP_LIBRARY } from './error-classes.ts';
import type { McpTransport } from './internal-types.ts';

type Send = (message: unknown) => Promise<void>;

/** A transport whose own code runs, and whose requests are refused before they reach anybody. */
function imitationOf(transport: McpTransport): object {
  const refused = async (): Promise<Response> => new Response('probe', { status: 400 });
  const members = {
    _fetch: refused,
    _commonHeaders: async () => new Headers(),
    _authProvider: undefined,
    _abortController: { signal: AbortSignal.abort() },
    onerror: undefined,
  };
  return Object.create(transport, Object.getOwnPropertyDescriptors(members)) as object;
}

/**
 * Makes the error class of an HTTP transport known to the value codec. The SDK exports it from a module that nobody here has,
 * and a replay must throw instances of the very class the host compares with; so the transport's own code is asked for one.
 * Settles within the turn and never rejects; other transports are left alone.
 */
export async function registerTransportErrors(transport: McpTransport): Promise<void> {
  // Only where the transport sends by this member can it be asked without sending anything.
  if (!Object.hasOwn(transport, '_fetch')) return;
  const send = guarded(
    'looking for error classes of an MCP transport',
    () => Reflect.get(transport, 'send') as Send,
    undefined,
  );
  if (send === undefined) return;
  try {
    await Reflect.apply(send, imitationOf(transport), [{ jsonrpc: '2.0', method: 'probe' }]);
  } catch (error) {
    if (error instanceof Error && !isOfKnownErrorClass(error))
      registerErrorClass(error.constructor as ErrorConstructor, MCP_LIBRARY);
  }
}
