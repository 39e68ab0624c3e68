import { BodyTape } from '@reenact/instrumentation';
import { REQUEST_BODY_BYTES_MAX } from '../limits.ts';
import { bodyOfBytes, bodyOfTape, type FormEntry, type MessageBody } from '../message-body.ts';

/** What is sent by a `fetch`, by how it can be read without changing what is sent. */
export type FetchBody = { readonly contentType?: string | undefined } & (
  | { readonly type: 'known'; readonly body: MessageBody | undefined }
  /** Can be read any number of times, but not at once. */
  | { readonly type: 'readable'; read(): Promise<MessageBody> }
  /** Can be read once: by the one who sends it. */
  | { readonly type: 'streamed'; readonly stream: AsyncIterable<unknown> }
  /** Hidden in a `Request`. */
  | { readonly type: 'request'; readonly request: Request }
);

/** Reads a stream of bytes to its end. Throws what the stream does. */
export async function readStream(stream: AsyncIterable<unknown>): Promise<Buffer> {
  const parts: Uint8Array[] = [];
  for await (const part of stream) parts.push(bytesOfPart(part));
  return Buffer.concat(parts);
}

/** One part of a streamed body as the bytes that are sent for it; empty where `fetch` refuses it. */
export function bytesOfPart(part: unknown): Uint8Array {
  if (typeof part === 'string') return Buffer.from(part, 'utf8');
  if (part instanceof ArrayBuffer || part instanceof SharedArrayBuffer) return new Uint8Array(part);
  if (ArrayBuffer.isView(part)) return new Uint8Array(part.buffer, part.byteOffset, part.byteLength);
  return new Uint8Array();
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

/** The body of a `fetch`: that of `init`, else that of the request. */
export function fetchBodyOf(body: unknown, request: Request | undefined): FetchBody {
  if (body === undefined || body === null) {
    // A request keeps its body when it is called on with an init that has none.
    if (request?.body === null || request?.body === undefined) return { type: 'known', body: undefined };
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
