import { guarded } from '@reenact/instrumentation';
import { type ErrorClass, registerErrorClass } from '@reenact/trace-model';

/** Stands for the SDK in records of its errors, whichever of its packages they are from. */
export const MCP_LIBRARY = '@modelcontextprotocol/sdk';

type Member = (...parameters: unknown[]) => unknown;

/** What the SDK's own handlers of a response and of a closed connection touch of a client. */
function imitationOf(seen: (error: unknown) => void): object {
  return {
    _responseHandlers: new Map([[0, seen]]),
    _progressHandlers: new Map(),
    _taskProgressTokens: new Map(),
    _requestResolvers: new Map(),
    _requestHandlerAbortControllers: new Map(),
    _pendingDebouncedNotifications: new Set(),
    _timeoutInfo: new Map(),
    _listenState: new Map(),
    _cleanupTimeout: () => undefined,
  };
}

function responseOf(code: number, data: unknown): object {
  return { jsonrpc: '2.0', id: 0, error: { code, message: 'probe', data } };
}

const probes: readonly (readonly [member: string, parameters: readonly unknown[]])[] = [
  ['_onresponse', [responseOf(-32603, undefined)]],
  // The code of "URL elicitation required", which has a class of its own.
  ['_onresponse', [responseOf(-32042, { elicitations: [] })]],
  ['_onclose', []],
];

/**
 * The error classes of the SDK that a client class belongs to: the SDK exports them from elsewhere, and a replay must throw
 * instances of the very classes the host compares with. Asked of the SDK's own code, which makes one of each.
 */
function errorClassesOf(prototype: object): ErrorClass[] {
  const classes = new Set<ErrorClass>();
  for (const [member, parameters] of probes) {
    guarded(
      'looking for error classes of the MCP SDK',
      () => {
        const keep = (error: unknown): void => {
          if (error instanceof Error) classes.add(error.constructor as ErrorClass);
        };
        Reflect.apply(Reflect.get(prototype, member) as Member, imitationOf(keep), [...parameters]);
      },
      undefined,
    );
  }
  return [...classes];
}

/** Makes the SDK's error classes known to the value codec. */
export function registerErrorClasses(prototype: object): void {
  for (const errorClass of errorClassesOf(prototype)) registerErrorClass(errorClass, MCP_LIBRARY);
}
