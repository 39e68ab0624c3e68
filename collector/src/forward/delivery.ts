import type { CollectorLimits } from '../config.ts';
import type { QueuedSignal } from '../store/store.ts';
import type { SenderAccess } from './sender-access.ts';
import type { OutgoingRequest } from './write-batch.ts';

/** How one delivery ended. */
export type Delivery =
  | { readonly type: 'delivered'; readonly rejected: number; readonly reason: string }
  | { readonly type: 'retry'; readonly reason: string; readonly askedMs: number | undefined }
  /** The request is larger than what the destination takes. */
  | { readonly type: 'too-large'; readonly reason: string }
  /** The destination has no room, and says neither for how long nor whether the request is too large for it. */
  | { readonly type: 'exhausted'; readonly reason: string }
  /** Refused for good for something in it: of its items, others may be taken. */
  | { readonly type: 'refused'; readonly reason: string }
  /** Refused for good, whatever is in it. */
  | { readonly type: 'dropped'; readonly reason: string };

/** Sends requests to one destination. */
export interface Sender {
  /** Sends one request and says what became of it, as the OTLP specification reads the answer. Never throws. */
  deliver(signal: QueuedSignal, request: OutgoingRequest, abort: AbortSignal): Promise<Delivery>;
  /** Lets go of connections. */
  close(): void;
}

/** What a sender is made from. */
export interface SenderOptions {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly access: SenderAccess;
  readonly limits: CollectorLimits;
}
