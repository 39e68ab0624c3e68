import { Readable } from 'node:stream';
import { BodyTape, guarded } from '@reenact/instrumentation';
import { bytesOfPart } from '../fetch/fetch-body.ts';
import { watchStream } from '../fetch/outgoing-stream.ts';
import { patchInstance } from '../instance-patch.ts';
import { REQUEST_BODY_BYTES_MAX } from '../limits.ts';
import { bodyOfTape, type MessageBody } from '../message-body.ts';

/** A body that can be read once, by the one who sends it. */
export interface WatchedBody {
  /** To send in place of the given one. */
  readonly body: unknown;
  /** Resolves with the whole body when it has been sent; never where it was not. */
  readonly sent: Promise<MessageBody>;
}

/** A stream stays the host's: what it gives is seen as it is given. */
function watchReadable(stream: Readable): Promise<MessageBody> {
  const tape = new BodyTape(REQUEST_BODY_BYTES_MAX);
  const { promise, resolve } = Promise.withResolvers<MessageBody>();
  const seen = (event: string | symbol, part: unknown): void => {
    if (event === 'data') tape.keep(bytesOfPart(part), 0);
    else if (event === 'end') resolve(bodyOfTape(tape));
  };
  patchInstance(stream, 'emit', (emit) => {
    return function emitWatched(this: Readable, event: string | symbol, ...values: unknown[]): boolean {
      guarded('watching a sent stream', () => seen(event, values[0]), undefined);
      return Reflect.apply(emit, this, [event, ...values]) as boolean;
    } as Readable['emit'];
  });
  return promise;
}

/** Watches a body as it is sent. `given`: what was handed to undici, `stream` the same as it can be iterated. */
export function watchBody(given: unknown, stream: AsyncIterable<unknown>): WatchedBody {
  if (given instanceof Readable) return { body: given, sent: watchReadable(given) };
  const { stream: body, sent } = watchStream(stream);
  return { body, sent };
}
