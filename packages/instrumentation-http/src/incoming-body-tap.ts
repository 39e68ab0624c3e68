import type { Readable } from 'node:stream';
import { guarded } from '@reenact/instrumentation';
import { patchInstance } from './instance-patch.ts';

/** What is told about the body of a message while it comes off the wire, before the host reads it. Errors are caught. */
export interface IncomingBodyTap {
  /** A chunk; its bytes belong to the host. */
  chunk(bytes: Uint8Array): void;
  /** Nothing more comes. Of a message, whether it is whole is in its `complete`. */
  ended(): void;
}

/** Watches a body without reading it: back-pressure, chunk boundaries and who reads it stay the host's. */
export function tapIncomingBody(message: Readable, tap: IncomingBodyTap): void {
  patchInstance(message, 'push', (push) => {
    return function pushTapped(this: Readable, chunk: unknown, encoding?: BufferEncoding): boolean {
      if (chunk === null) guarded('recording the end of a body', () => tap.ended(), undefined);
      else if (chunk instanceof Uint8Array) guarded('recording a chunk', () => tap.chunk(chunk), undefined);
      return push.call(this, chunk, encoding);
    };
  });
}
