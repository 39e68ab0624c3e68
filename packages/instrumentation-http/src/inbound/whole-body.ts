import type { Readable } from 'node:stream';
import { BodyTape } from '@reenact/instrumentation';
import { patchInstance } from '../instance-patch.ts';
import { bodyOfBytes, type MessageBody } from '../message-body.ts';

/** A body that has arrived and is there to be read. */
export interface WholeBody {
  readonly body: MessageBody;
  /** Tells whoever reads it that this was all. To be called once, unless its client is to leave before. */
  end(): void;
}

/**
 * Waits until all of a request's body has arrived, without reading it: whoever reads it later gets the same chunks. Resolves with
 * the body; never where the client went away before.
 */
export function wholeBody(request: Readable): Promise<WholeBody> {
  const tape = new BodyTape(Number.POSITIVE_INFINITY);
  return new Promise((resolve) => {
    patchInstance(request, 'push', (push) => {
      return function pushWhole(this: Readable, chunk: unknown, encoding?: BufferEncoding): boolean {
        if (chunk === null) resolve({ body: bodyOfBytes(tape.whole), end: () => void push.call(this, null) });
        else push.call(this, chunk, encoding);
        if (chunk instanceof Uint8Array) tape.keep(chunk, 0);
        // Nobody reads yet, so nothing would ever ask for more.
        return true;
      };
    });
  });
}
