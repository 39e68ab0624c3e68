import { Readable } from 'node:stream';
import { BodyTape, bytesOfPart, guarded } from '@reenact/instrumentation';
import { watchStream } from '../fetch/outgoing-stream.ts';
import { patchInstance } from '../instance-patch.ts';
import { REQUEST_BODY_BYTES_MAX } from '../limits.ts';
import { bodyOfTape, type SentBody } from '../message-body.ts';

/** A stream stays the host's: what it gives is seen as it is given. */
function watchReadable(stream: Readable, complete: (sent: SentBody) => void): void {
  const tape = new BodyTape(REQUEST_BODY_BYTES_MAX);
  const seen = (event: string | symbol, part: unknown): void => {
    if (event === 'data') tape.keep(bytesOfPart(part), 0);
    else if (event === 'end') complete({ body: bodyOfTape(tape) });
    else if (event === 'error') complete({ body: bodyOfTape(tape), isBroken: true });
  };
  patchInstance(stream, 'emit', (emit) => {
    return function emitWatched(this: Readable, event: string | symbol, ...values: unknown[]): boolean {
      guarded('watching a sent stream', () => seen(event, values[0]), undefined);
      return Reflect.apply(emit, this, [event, ...values]) as boolean;
    } as Readable['emit'];
  });
}

/**
 * A body to send in place of the given one, watched as it is sent; see `watchStream`. `given`: what was handed to undici, `stream` the same as
 * it can be iterated.
 */
export function watchBody(given: unknown, stream: AsyncIterable<unknown>, complete: (sent: SentBody) => void): unknown {
  if (!(given instanceof Readable)) return watchStream(stream, complete);
  watchReadable(given, complete);
  return given;
}
