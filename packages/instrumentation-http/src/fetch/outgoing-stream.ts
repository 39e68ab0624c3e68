import { BodyTape, watchOutgoing } from '@reenact/instrumentation';
import { REQUEST_BODY_BYTES_MAX } from '../limits.ts';
import { bodyOfTape, type SentBody } from '../message-body.ts';

/**
 * A streamed body to send in place of the given one, read only as fast as it is sent. `complete` is told of it when it has been sent or reading it
 * has failed; never where it was called off.
 */
export function watchStream(
  source: AsyncIterable<unknown>,
  complete: (sent: SentBody) => void,
): ReadableStream<unknown> | AsyncIterable<unknown> {
  const tape = new BodyTape(REQUEST_BODY_BYTES_MAX);
  return watchOutgoing(source, {
    part: (bytes) => tape.keep(bytes, 0),
    ended: () => complete({ body: bodyOfTape(tape) }),
    failed: () => complete({ body: bodyOfTape(tape), isBroken: true }),
  });
}
