import type { Writable } from 'node:stream';
import { guarded } from '@reenact/instrumentation';
import { patchInstance } from './instance-patch.ts';

/** What is told about the body of a message while the host writes it. Errors are caught. */
export interface OutgoingBodyTap {
  /** A chunk that was taken. */
  chunk(bytes: Uint8Array): void;
  /** The body is whole. Told once. */
  ended(): void;
}

function bytesOf(chunk: unknown, encoding: unknown): Uint8Array | undefined {
  if (typeof chunk === 'string') {
    return Buffer.from(chunk, typeof encoding === 'string' ? (encoding as BufferEncoding) : 'utf8');
  }
  return chunk instanceof Uint8Array ? chunk : undefined;
}

/** Watches what is written to a request or an answer, a message of HTTP/1 or a stream of HTTP/2; a call that throws or comes after the end writes nothing. */
export function tapOutgoingBody(message: Writable, tap: OutgoingBodyTap): void {
  const keep = (chunk: unknown, encoding: unknown): void => {
    guarded(
      'recording a written chunk',
      () => {
        const bytes = bytesOf(chunk, encoding);
        if (bytes !== undefined && bytes.byteLength > 0) tap.chunk(bytes);
      },
      undefined,
    );
  };
  patchInstance(message, 'write', (write) => {
    return function writeTapped(this: Writable, ...parameters: unknown[]): boolean {
      const wasEnded = message.writableEnded;
      const result = Reflect.apply(write, this, parameters) as boolean;
      if (!wasEnded) keep(parameters[0], parameters[1]);
      return result;
    };
  });
  patchInstance(message, 'end', (end) => {
    return function endTapped(this: Writable, ...parameters: unknown[]): Writable {
      const wasEnded = message.writableEnded;
      const result = Reflect.apply(end, this, parameters) as Writable;
      if (wasEnded) return result;
      keep(parameters[0], parameters[1]);
      guarded('recording the end of a written body', () => tap.ended(), undefined);
      return result;
    };
  });
}
