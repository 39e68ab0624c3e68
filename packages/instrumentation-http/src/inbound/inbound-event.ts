import type { EventEmitter } from 'node:events';
import type { OpenCrossing } from '@reenact/instrumentation';
import type { IncomingBodyTap } from '../incoming-body-tap.ts';
import type { InboundRequest } from '../types.ts';
import type { WholeBody } from './whole-body.ts';

/** What a request says before its body, whatever protocol it came by. */
export interface InboundHead extends InboundRequest {
  /** Names and values in turn, as they came; the host's own list. */
  readonly rawHeaders: string[];
  readonly scheme: 'http' | 'https';
  /** As OpenTelemetry writes it: `1.1`, `2`. */
  readonly httpVersion: string;
  /** Host and port that the client asked for. */
  readonly authority: string | undefined;
  readonly localPort: number | undefined;
}

/** One request as a server is about to hand it to its listeners. */
export interface InboundEvent {
  /** What the request came on; the same object when a server hands it on to another. */
  readonly carrier: object;
  readonly head: InboundHead;
  /** What emits the events of the request and of its answer. */
  readonly emitters: readonly EventEmitter[];
  /** Hands it to the listeners; true where there are any. */
  readonly handle: () => boolean;
  /** Tells of the body while the host reads it. */
  watchBody(tap: IncomingBodyTap): void;
  /** Waits for all of the body and leaves it to be read, up to its end. Resolves never where the client goes away before. */
  wholeBody(): Promise<WholeBody>;
  /** Takes the connection away, as a client that leaves does. */
  leave(): void;
  /** Ends the run when the request has been answered; `abandoned` is called before it ends as aborted. */
  watchAnswer(crossing: OpenCrossing, abandoned: () => void): void;
  /** Answers in place of the listeners. */
  respond(status: number, headers: Readonly<Record<string, string>>, body: string): void;
}
