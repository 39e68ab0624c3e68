import { BodyTape, guarded } from '@reenact/instrumentation';
import { REQUEST_BODY_BYTES_MAX } from '../limits.ts';
import { bodyOfTape, type MessageBody } from '../message-body.ts';
import { bytesOfPart } from './fetch-body.ts';

/** A body that is sent while it is read, watched as it goes. */
export interface WatchedStream {
  /** To send in place of the given one. */
  readonly stream: ReadableStream<unknown> | AsyncIterable<unknown>;
  /** Resolves with the whole body when it has been sent; never where it was not. */
  readonly sent: Promise<MessageBody>;
}

async function* watched(source: AsyncIterable<unknown>, seen: (part: unknown) => void): AsyncGenerator<unknown> {
  for await (const part of source) {
    seen(part);
    yield part;
  }
}

function watchedWeb(source: ReadableStream<unknown>, seen: (part: unknown) => void, ended: () => void): ReadableStream {
  const reader = source.getReader();
  return new ReadableStream<unknown>(
    {
      async pull(controller) {
        const { done, value } = await reader.read();
        if (done) {
          ended();
          return controller.close();
        }
        seen(value);
        controller.enqueue(value);
      },
      cancel: (reason) => reader.cancel(reason),
    },
    { highWaterMark: 0 },
  );
}

/** Watches a streamed body. It is read only as fast as it is sent. */
export function watchStream(source: AsyncIterable<unknown>): WatchedStream {
  const tape = new BodyTape(REQUEST_BODY_BYTES_MAX);
  const seen = (part: unknown): void =>
    guarded('keeping a sent part', () => tape.keep(bytesOfPart(part), 0), undefined);
  const { promise, resolve } = Promise.withResolvers<MessageBody>();
  const ended = (): void => resolve(bodyOfTape(tape));
  if (source instanceof ReadableStream) return { stream: watchedWeb(source, seen, ended), sent: promise };
  async function* iterate(): AsyncGenerator<unknown> {
    yield* watched(source, seen);
    ended();
  }
  return { stream: iterate(), sent: promise };
}
