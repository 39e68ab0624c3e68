import { digestOf } from './digest.ts';

/** How a payload's text is encoded: plain JSON, tagged JSON (value-codec.ts), plain text, or base64 of bytes. */
export const PAYLOAD_FORMATS = ['json', 'js', 'text', 'base64'] as const;

/** One payload format. */
export type PayloadFormat = (typeof PAYLOAD_FORMATS)[number];

/** One exact value as text, with the digest that was taken when it was recorded. `data` is absent below full capture. */
export interface Payload {
  readonly format: PayloadFormat;
  readonly data?: string;
  readonly digest: string;
}

/** Takes the digest of a text that never changes when somebody asks for it: a replay does not, nor anybody for one chunk of a stream. */
class TextPayload implements Payload {
  readonly format: PayloadFormat;
  readonly data: string;
  private known: string | undefined;

  constructor(format: PayloadFormat, data: string) {
    this.format = format;
    this.data = data;
  }

  get digest(): string {
    this.known ??= digestOf(this.data);
    return this.known;
  }
}

/** A text that `JSON.stringify` wrote in this process. */
class StringifiedPayload extends TextPayload {}

/** A text that was held against the digest it came with. */
class VerifiedPayload implements Payload {
  readonly format: PayloadFormat;
  readonly data: string;
  readonly digest: string;
  readonly #data: string;
  readonly #digest: string;

  constructor(format: PayloadFormat, data: string, digest: string) {
    this.format = format;
    this.data = data;
    this.digest = digest;
    this.#data = data;
    this.#digest = digest;
  }

  static isUnchanged(payload: Payload): boolean {
    return #data in payload && payload.#data === payload.data && payload.#digest === payload.digest;
  }
}

/** A payload whose text was found to have this digest: `isIntact` need not take it again while nobody changes either. */
export function verifiedPayload(format: PayloadFormat, data: string, digest: string): Payload {
  return new VerifiedPayload(format, data, digest);
}

/** A payload of the given text, with the digest of exactly this text. */
export function payloadOf(format: PayloadFormat, data: string): Payload {
  return new TextPayload(format, data);
}

/** A payload of a text exactly as `JSON.stringify` wrote it. */
export function stringifiedPayload(format: 'json' | 'js', data: string): Payload {
  return new StringifiedPayload(format, data);
}

/** Whether the text is known to be as `JSON.stringify` wrote it; of one that was read from a recording that is never known. */
export function isStringified(payload: Payload): payload is Payload & { readonly data: string } {
  return payload instanceof StringifiedPayload;
}

/** Whether the text still is what was recorded; a payload without text cannot be judged and counts as intact. */
export function isIntact(payload: Payload): boolean {
  if (payload.data === undefined || VerifiedPayload.isUnchanged(payload)) return true;
  return digestOf(payload.data) === payload.digest;
}
