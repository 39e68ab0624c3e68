import { BodyTape } from '@reenact/instrumentation';
import { isKeptAsText } from '@reenact/trace-model';
import { ESCAPED_BODY_BYTES_MIN, REQUEST_BODY_BYTES_MAX } from './limits.ts';

/** One field of a form: text, or a file by what can be known of it. */
export interface FormEntry {
  readonly name: string;
  readonly value?: string;
  readonly file?: { readonly name: string; readonly type: string; readonly content: MessageBody };
}

/** A body as an input or outcome holds it. `sha256`: longer than what is kept, compared by that. */
export type MessageBody =
  | { readonly text: string }
  | { readonly base64: string }
  | { readonly bytes: number; readonly sha256: string }
  | { readonly form: readonly FormEntry[] };

/** The body of a request that was sent while it was read. `isBroken`: reading it failed there, and with it the request. */
export interface SentBody {
  readonly body: MessageBody | undefined;
  readonly isBroken?: true | undefined;
}

/** Bytes as text where they are valid UTF-8, else as base64. */
export function bodyOfBytes(bytes: Uint8Array): MessageBody {
  const tape = new BodyTape(REQUEST_BODY_BYTES_MAX);
  if (bytes.byteLength > 0) tape.keep(bytes, 0);
  return bodyOfTape(tape);
}

/** What a tape kept, as one body. */
export function bodyOfTape(tape: BodyTape): MessageBody {
  return tape.cut ?? plainBody(tape.whole);
}

/** Bytes of a length that is kept, as one body. */
export function plainBody(bytes: Buffer): MessageBody {
  const isText = isKeptAsText(bytes, ESCAPED_BODY_BYTES_MIN);
  return isText ? { text: bytes.toString('utf8') } : { base64: bytes.toString('base64') };
}

/** The bytes of a body, exactly; undefined where they were not kept. */
export function bytesOfBody(body: MessageBody): Buffer | undefined {
  if ('text' in body) return Buffer.from(body.text, 'utf8');
  if ('base64' in body) return Buffer.from(body.base64, 'base64');
  return undefined;
}
