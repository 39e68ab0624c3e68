import { BodyTape, bytesOfPart, isByteStream, unlessAborted } from '@reenact/instrumentation';
import { REQUEST_BODY_BYTES_MAX } from '../limits.ts';
import { bodyOfBytes, bodyOfTape, type FormEntry, type MessageBody } from '../message-body.ts';

/** What is sent by a `fetch`, by how it can be read without changing what is sent. */
export type FetchBody = { readonly contentType?: string | undefined } & (
  | { readonly type: 'known'; readonly body: MessageBody | undefined }
  /** Can be read any number of times, but not at once. */
  | { readonly type: 'readable'; read(): Promise<MessageBody> }
  /** Can be read once: by the one who sends it. */
  | {
      readonly type: 'streamed';
      readonly stream: AsyncIterable<unknown>;
      /** The request that was made around it, where one was. */
      readonly request?: Request;
    }
  /** Hidden in a `Request`. */
  | { readonly type: 'request'; readonly request: Request }
);

/** A streamed body, as far as it could be read. */
export interface ReadStream {
  readonly bytes: Buffer;
  /** With what reading it failed; absent where it did not. */
  readonly failure?: { readonly error: unknown };
  /** Whether its caller called it off before its end: then nobody knows all of it. */
  readonly isCalledOff: boolean;
}

/** Reads a stream of bytes to its end, to where it fails, or until its caller calls it off. Never rejects. */
export async function readStream(stream: AsyncIterable<unknown>, signal: AbortSignal | undefined): Promise<ReadStream> {
  const parts: Uint8Array[] = [];
  const read = async (): Promise<void> => {
    for await (const part of stream) parts.push(bytesOfPart(part));
  };
  try {
    await unlessAborted(read(), signal);
    return { bytes: Buffer.concat(parts), isCalledOff: false };
  } catch (error) {
    const bytes = Buffer.concat(parts);
    return signal?.aborted === true ? { bytes, isCalledOff: true } : { bytes, failure: { error }, isCalledOff: false };
  }
}

/** The content of a blob; of one that is too long to keep, its digest. */
async function blobContent(blob: Blob): Promise<MessageBody> {
  const tape = new BodyTape(REQUEST_BODY_BYTES_MAX);
  for await (const part of blob.stream()) tape.keep(part, 0);
  return bodyOfTape(tape);
}

async function formEntry(name: string, value: string | File): Promise<FormEntry> {
  if (typeof value === 'string') return { name, value };
  return { name, file: { name: value.name, type: value.type, content: await blobContent(value) } };
}

/** The body a form is sent as: its fields, and its files by their content. */
export function formBody(form: FormData): FetchBody {
  // Taken now: the caller may change its form as soon as the call is under way.
  const entries = [...form.entries()];
  const hasFiles = entries.some(([, value]) => typeof value !== 'string');
  const contentType = 'multipart/form-data';
  if (hasFiles) {
    const read = async (): Promise<MessageBody> => ({
      form: await Promise.all(entries.map(([name, value]) => formEntry(name, value))),
    });
    return { type: 'readable', contentType, read };
  }
  const fields = entries.map(([name, value]) => ({ name, value: String(value) }));
  return { type: 'known', contentType, body: { form: fields } };
}

/**
 * Whether a request was made around this stream, and only knows of its body what is read. The platform makes streams of bytes of all that it knows, and
 * sends that with its length: put in its place, a stream of ours would be sent without.
 */
function isMadeAround(body: ReadableStream<unknown>): boolean {
  return !body.locked && !isByteStream(body);
}

/** The body of a `fetch`: that of `init`, else that of the request. */
export function fetchBodyOf(body: unknown, request: Request | undefined): FetchBody {
  if (body === undefined || body === null) {
    // A request keeps its body when it is called on with an init that has none.
    if (request?.body === null || request?.body === undefined) return { type: 'known', body: undefined };
    if (isMadeAround(request.body)) return { type: 'streamed', stream: request.body, request };
    return { type: 'request', request };
  }
  if (typeof body === 'string') {
    return { type: 'known', contentType: 'text/plain;charset=UTF-8', body: { text: body.toWellFormed() } };
  }
  if (body instanceof URLSearchParams) {
    const contentType = 'application/x-www-form-urlencoded;charset=UTF-8';
    return { type: 'known', contentType, body: { text: body.toString() } };
  }
  if (body instanceof FormData) return formBody(body);
  if (body instanceof Blob)
    return { type: 'readable', contentType: body.type || undefined, read: () => blobContent(body) };
  if (body instanceof ArrayBuffer || ArrayBuffer.isView(body)) {
    return { type: 'known', body: bodyOfBytes(bytesOfPart(body)) };
  }
  if (typeof body === 'object' && Symbol.asyncIterator in body) {
    return { type: 'streamed', stream: body as AsyncIterable<unknown> };
  }
  return { type: 'known', contentType: 'text/plain;charset=UTF-8', body: { text: String(body).toWellFormed() } };
}
