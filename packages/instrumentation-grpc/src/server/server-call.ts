import type { EventEmitter } from 'node:events';
import type { ServerHttp2Stream } from 'node:http2';
import type { Metadata } from '@grpc/grpc-js';

/** A call as a handler of a server gets it, as far as all four kinds are alike. */
export interface ServerCall extends EventEmitter {
  readonly metadata: Metadata;
  /** Where the method takes one message. */
  readonly request?: unknown;
  getHost?(): string;
  /** Milliseconds since 1970, or Infinity. */
  getDeadline?: () => Date | number;
}

/** What grpc-js carries a call by, below the interceptors of the host. Nothing of it is public. */
export interface CarryingCall {
  readonly stream: ServerHttp2Stream;
  startRead?(): void;
  notifyOnCancel?(): void;
}

/** What carries a call; undefined where that is made otherwise than it was known to be. */
export function carryingCall(call: ServerCall): CarryingCall | undefined {
  let carrier: unknown = Reflect.get(call, 'call');
  while (typeof carrier === 'object' && carrier !== null) {
    if (typeof Reflect.get(carrier, 'stream') === 'object') return carrier as CarryingCall;
    carrier = Reflect.get(carrier, 'nextCall');
  }
  return undefined;
}

/** How a handler of a method that answers with one message answers. */
export type SendUnary = (error: unknown, value?: unknown, trailer?: unknown, flags?: number) => void;

/** A handler as it is registered with a server. */
export type Handler = (this: unknown, call: ServerCall, callback?: SendUnary) => void;

/** What kind of method a handler is registered for, as grpc-js names it. */
export type HandlerType = 'unary' | 'serverStream' | 'clientStream' | 'bidi';
