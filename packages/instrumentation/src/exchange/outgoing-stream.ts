import { guarded } from '../host/report-failure.ts';

/** What is told of a body while it is read to be sent. Errors are caught. */
export interface OutgoingWatch {
  /** A part, before it is sent. */
  part(bytes: Uint8Array): void;
  /** Nothing follows. */
  ended(): void;
  /** Reading it failed, and so does the request. */
  failed(error: unknown): void;
}

/** One part of a streamed body as the bytes that are sent for it; empty where `fetch` refuses it. */
export function bytesOfPart(part: unknown): Uint8Array {
  if (typeof part === 'string') return Buffer.from(part, 'utf8');
  if (part instanceof ArrayBuffer || part instanceof SharedArrayBuffer) return new Uint8Array(part);
  if (ArrayBuffer.isView(part)) return new Uint8Array(part.buffer, part.byteOffset, part.byteLength);
  return new Uint8Array();
}

function told(tell: () => void): void {
  guarded('watching a sent stream', tell, undefined);
}

async function* watchedParts(source: AsyncIterable<unknown>, watch: OutgoingWatch): AsyncGenerator<unknown> {
  try {
    for await (const part of source) {
      told(() => watch.part(bytesOfPart(part)));
      yield part;
    }
  } catch (error) {
    told(() => watch.failed(error));
    throw error;
  }
  told(() => watch.ended());
}

function watchedStream(source: ReadableStream<unknown>, watch: OutgoingWatch): ReadableStream<unknown> {
  const reader = source.getReader();
  return new ReadableStream<unknown>(
    {
      async pull(controller) {
        try {
          const { done, value } = await reader.read();
          if (done) {
            told(() => watch.ended());
            return controller.close();
          }
          told(() => watch.part(bytesOfPart(value)));
          controller.enqueue(value);
        } catch (error) {
          told(() => watch.failed(error));
          throw error;
        }
      },
      cancel: (reason) => reader.cancel(reason),
    },
    { highWaterMark: 0 },
  );
}

/** A body to send in place of the given one, of which is told what is sent. It is read once, and only as fast as it is sent. */
export function watchOutgoing(
  source: AsyncIterable<unknown>,
  watch: OutgoingWatch,
): ReadableStream<unknown> | AsyncIterable<unknown> {
  return source instanceof ReadableStream ? watchedStream(source, watch) : watchedParts(source, watch);
}
