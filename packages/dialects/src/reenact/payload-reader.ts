import {
  ATTR_REENACT_DRAWS,
  ATTR_REENACT_DRAWS_DIGEST,
  ATTR_REENACT_ERROR,
  ATTR_REENACT_ERROR_DIGEST,
  ATTR_REENACT_EXCHANGES,
  ATTR_REENACT_EXCHANGES_DIGEST,
  ATTR_REENACT_OUTPUT_CHUNKS,
  ATTR_REENACT_OUTPUT_CHUNKS_DIGEST,
  ATTR_REENACT_PROCESS_DRAWS,
  ATTR_REENACT_PROCESS_DRAWS_DIGEST,
} from '@reenact/semconv/reenact';
import {
  digestOf,
  type Exchange,
  isJson,
  PAYLOAD_FORMATS,
  type Payload,
  type PayloadFormat,
  payloadOf,
  type RecordedDraws,
  type StreamChunk,
  verifiedPayload,
} from '@reenact/trace-model';
import { exchangesSchema, recordedDrawsSchema } from '@reenact/trace-model/reading';
import type { Attributes } from '../attributes.ts';
import { SCANNED_CHARACTERS_MIN } from '../limits.ts';

/** Reads the payload attributes of one span and notes what does not hold together. */
export class PayloadReader {
  readonly damage: string[] = [];
  private readonly attributes: Attributes;

  constructor(attributes: Attributes) {
    this.attributes = attributes;
  }

  /** A text attribute, or undefined; a value of another type is damage. */
  text(key: string): string | undefined {
    const value = this.attributes.get(key);
    if (value === undefined || value === null) return undefined;
    if (typeof value === 'string') return value;
    this.damage.push(`${key} is not text`);
    return undefined;
  }

  private verified(key: string, data: string | undefined, digest: string | undefined): string | undefined {
    if (data === undefined) return undefined;
    if (digest === undefined) {
      this.damage.push(`${key} has no digest`);
      return undefined;
    }
    if (digestOf(data) === digest) return data;
    this.damage.push(`${key} does not match its digest`);
    return undefined;
  }

  /** The payload under `key`, with `key.format` and `key.digest`. Damaged data is left out, its digest kept. */
  payload(key: string): Payload | undefined {
    const data = this.text(key);
    const digest = this.text(`${key}.digest`);
    if (data === undefined && digest === undefined) return undefined;
    const format = this.text(`${key}.format`) ?? 'json';
    if (!PAYLOAD_FORMATS.includes(format as PayloadFormat)) {
      this.damage.push(`${key}.format "${format}" is unknown`);
      return undefined;
    }
    const whole = this.verified(key, data, digest);
    if (whole === undefined || digest === undefined || !this.isReadable(key, format, whole)) {
      return { format: format as PayloadFormat, digest: digest ?? '' };
    }
    return verifiedPayload(format as PayloadFormat, whole, digest);
  }

  private isReadable(key: string, format: string, data: string): boolean {
    return format === 'text' || format === 'base64' || this.isJson(key, data);
  }

  /** The value of a large text would take several times its size, and nobody has asked for it yet. */
  private isJson(key: string, data: string): boolean {
    if (data.length < SCANNED_CHARACTERS_MIN) return this.json(key, data) !== undefined;
    const is = isJson(data);
    if (!is) this.notJson(key);
    return is;
  }

  private notJson(key: string): void {
    this.damage.push(`${key} is not JSON`);
  }

  private json(key: string, data: string): { readonly tree: unknown } | undefined {
    try {
      return { tree: JSON.parse(data) };
    } catch {
      this.notJson(key);
      return undefined;
    }
  }

  /** The error thrown. */
  error(): Payload | undefined {
    const data = this.verified(ATTR_REENACT_ERROR, this.text(ATTR_REENACT_ERROR), this.text(ATTR_REENACT_ERROR_DIGEST));
    if (data === undefined || !this.isJson(ATTR_REENACT_ERROR, data)) return undefined;
    return payloadOf('js', data);
  }

  private verifiedJson(key: string, digestKey: string): unknown {
    const data = this.verified(key, this.text(key), this.text(digestKey));
    return data === undefined ? undefined : this.json(key, data)?.tree;
  }

  /** The wire exchanges, in the order of the attempts. */
  exchanges(): Exchange[] {
    const tree = this.verifiedJson(ATTR_REENACT_EXCHANGES, ATTR_REENACT_EXCHANGES_DIGEST);
    if (tree === undefined) return [];
    const parsed = exchangesSchema.safeParse(tree);
    if (parsed.success) return parsed.data;
    const issue = parsed.error.issues[0];
    this.damage.push(
      `${ATTR_REENACT_EXCHANGES} is malformed at ${issue?.path.join('.') ?? '$'}: ${issue?.message ?? ''}`,
    );
    return [];
  }

  /** What code inside drew; undefined where that was not recorded, or is damaged. */
  draws(): RecordedDraws | undefined {
    return this.drawsAt(ATTR_REENACT_DRAWS, ATTR_REENACT_DRAWS_DIGEST);
  }

  /** What the process drew before its first run; undefined likewise. */
  processDraws(): RecordedDraws | undefined {
    return this.drawsAt(ATTR_REENACT_PROCESS_DRAWS, ATTR_REENACT_PROCESS_DRAWS_DIGEST);
  }

  private drawsAt(key: string, digestKey: string): RecordedDraws | undefined {
    const tree = this.verifiedJson(key, digestKey);
    if (tree === undefined) return undefined;
    const parsed = recordedDrawsSchema.safeParse(tree);
    if (parsed.success) return parsed.data;
    this.damage.push(`${key} is malformed at ${parsed.error.issues[0]?.path.join('.') ?? '$'}`);
    return undefined;
  }

  /** The chunks of a streamed outcome. */
  chunks(): StreamChunk[] {
    const tree = this.verifiedJson(ATTR_REENACT_OUTPUT_CHUNKS, ATTR_REENACT_OUTPUT_CHUNKS_DIGEST);
    if (tree === undefined) return [];
    if (!Array.isArray(tree)) {
      this.damage.push(`${ATTR_REENACT_OUTPUT_CHUNKS} is not a list`);
      return [];
    }
    return tree.flatMap((item, index) => this.chunk(item, index));
  }

  private chunk(item: unknown, index: number): StreamChunk[] {
    const [offsetUs, format, data, microtasks] = Array.isArray(item) ? (item as unknown[]) : [];
    const known = PAYLOAD_FORMATS.includes(format as PayloadFormat);
    if (typeof offsetUs !== 'number' || typeof data !== 'string' || !known) {
      this.damage.push(`${ATTR_REENACT_OUTPUT_CHUNKS}[${index}] is malformed`);
      return [];
    }
    const value = payloadOf(format as PayloadFormat, data);
    return [typeof microtasks === 'number' ? { offsetUs, microtasks, value } : { offsetUs, value }];
  }
}
