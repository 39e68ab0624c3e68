import { bytesOfPart, watchOutgoing } from '../exchange/outgoing-stream.ts';
import type { UploadFailure } from '../exchange/unheard-failure.ts';
import { unlessAborted } from '../exchange/unless-aborted.ts';
import { type UploadBody, UploadTape } from '../exchange/upload-tape.ts';
import { guarded } from '../host/report-failure.ts';
import type { FetchInit } from './stainless-client.ts';

/** A body that was read to be compared, before anything is sent. */
export interface ReadUpload {
  /** Undefined where its caller called it off before its end. */
  readonly body: UploadBody | undefined;
  /** With what reading it failed; absent where it did not. */
  readonly failure?: UploadFailure;
  /** The same body, to be sent after all. */
  readonly again: () => ReadableStream<Uint8Array>;
}

/** The body as it can be read once, by whoever sends it; undefined where it is another. */
export function streamOf(body: unknown): AsyncIterable<unknown> | undefined {
  if (typeof body !== 'object' || body === null) return undefined;
  return body instanceof ReadableStream || Symbol.asyncIterator in body ? (body as AsyncIterable<unknown>) : undefined;
}

/** The content type among the headers of a request, in whichever of their forms a client keeps them. */
export function contentTypeOf(headers: unknown): string | undefined {
  if (typeof headers !== 'object' || headers === null) return undefined;
  const values: unknown = 'values' in headers && headers.values instanceof Headers ? headers.values : headers;
  const given = guarded('reading a content type', () => new Headers(values as Headers).get('content-type'), null);
  return given ?? undefined;
}

/** What an attempt is sent with, its streamed body watched; `complete` is told of the body when it has been sent, or failed. */
export function watchedUpload(init: FetchInit, complete: (body: UploadBody) => void): FetchInit {
  const stream = streamOf(init.body);
  if (stream === undefined || (stream instanceof ReadableStream && stream.locked)) return init;
  const tape = new UploadTape(contentTypeOf(init.headers));
  const body = watchOutgoing(stream, {
    part: (bytes) => tape.keep(bytes),
    ended: () => complete(tape.whole),
    failed: () => complete(tape.broken()),
  });
  return { ...init, body };
}

function streamAgain(parts: readonly Uint8Array[], failure: UploadFailure | undefined) {
  let next = 0;
  return new ReadableStream<Uint8Array>({
    pull(controller) {
      const part = parts[next];
      next += 1;
      if (part !== undefined) controller.enqueue(part);
      else if (failure === undefined) controller.close();
      else controller.error(failure.error);
    },
  });
}

/** Reads a streamed body to its end, to where it fails, or until its caller calls it off. Never rejects. */
export async function readUpload(
  stream: AsyncIterable<unknown>,
  contentType: string | undefined,
  signal: AbortSignal | undefined,
): Promise<ReadUpload> {
  const tape = new UploadTape(contentType);
  const parts: Uint8Array[] = [];
  const read = async (): Promise<UploadBody> => {
    for await (const part of stream) {
      const bytes = bytesOfPart(part);
      parts.push(bytes);
      tape.keep(bytes);
    }
    return tape.whole;
  };
  try {
    return { body: await unlessAborted(read(), signal), again: () => streamAgain(parts, undefined) };
  } catch (error) {
    const failure = { error };
    const again = (): ReadableStream<Uint8Array> => streamAgain(parts, failure);
    return signal?.aborted === true ? { body: undefined, again } : { body: tape.broken(), failure, again };
  }
}
