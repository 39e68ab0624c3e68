import type { EventEmitter } from 'node:events';
import type { Metadata } from '@grpc/grpc-js';

/** A call as a handler of a server gets it, as far as all four kinds are alike. */
export interface ServerCall extends EventEmitter {
  readonly metadata: Metadata;
  /** Where the method takes one message. */
  readonly request?: unknown;
  getHost?(): string;
}

/** How a handler of a method that answers with one message answers. */
export type SendUnary = (error: unknown, value?: unknown, trailer?: unknown, flags?: number) => void;

/** A handler as it is registered with a server. */
export type Handler = (this: unknown, call: ServerCall, callback?: SendUnary) => void;

/** What kind of method a handler is registered for, as grpc-js names it. */
export type HandlerType = 'unary' | 'serverStream' | 'clientStream' | 'bidi';
