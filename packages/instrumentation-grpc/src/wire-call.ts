import type { Metadata, StatusObject } from '@grpc/grpc-js';

/** What a call tells the code above it. */
export interface WireListener {
  onReceiveMetadata(metadata: Metadata): void;
  /** One serialized message. */
  onReceiveMessage(message: Buffer): void;
  /** The last. */
  onReceiveStatus(status: StatusObject): void;
}

/** What may come with a message that is sent. */
export interface MessageContext {
  readonly callback?: (error?: Error | null) => void;
  readonly flags?: number;
}

/** One call as a channel makes it: everything above, interceptors and (de)serialization, is the caller's own. */
export interface WireCall {
  start(metadata: Metadata, listener: WireListener): void;
  sendMessageWithContext(context: MessageContext, message: Buffer): void;
  /** Asks for one more message. */
  startRead(): void;
  halfClose(): void;
  cancelWithStatus(code: number, details: string): void;
  getPeer(): string;
  getCallNumber(): number;
  setCredentials(credentials: unknown): void;
  getAuthContext(): unknown;
}

/** `createCall` of a channel. */
export type CreateCall = (this: { getTarget(): string }, path: string, ...others: unknown[]) => WireCall;

/** The class of metadata of the loaded package. */
export type MetadataClass = typeof Metadata;
