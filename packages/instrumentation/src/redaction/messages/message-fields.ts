import type { TextPart } from '../text/text-part.ts';

/** One field of a protobuf message, and where what it holds stands. */
export interface MessageField extends TextPart {
  readonly number: number;
  /** `bytes`: length-delimited, so a text, bytes, a message, or packed numbers. */
  readonly type: 'integer' | 'fixed' | 'bytes';
  /** Of an integer, as far as a number can hold it. */
  readonly integer?: number;
}

/** The number that begins at `at`, and where it ends; undefined where none does. */
function readNumber(bytes: Uint8Array, at: number, end: number): readonly [value: number, next: number] | undefined {
  let value = 0;
  for (let index = at; index < end && index < at + 10; index += 1) {
    const byte = bytes[index] ?? 0;
    value += (byte & 0x7f) * 2 ** (7 * (index - at));
    if (byte < 0x80) return [value, index + 1];
  }
  return undefined;
}

function fieldAt(bytes: Uint8Array, tag: number, at: number, end: number): MessageField | undefined {
  const number = Math.floor(tag / 8);
  switch (tag % 8) {
    case 0: {
      const read = readNumber(bytes, at, end);
      return read === undefined ? undefined : { number, type: 'integer', integer: read[0], start: at, end: read[1] };
    }
    case 1:
      return { number, type: 'fixed', start: at, end: at + 8 };
    case 2: {
      const size = readNumber(bytes, at, end);
      return size === undefined ? undefined : { number, type: 'bytes', start: size[1], end: size[1] + size[0] };
    }
    case 5:
      return { number, type: 'fixed', start: at, end: at + 4 };
    default:
      return undefined;
  }
}

/** The fields of the protobuf message in a part of these bytes, in their order; undefined where these bytes are none. */
export function messageFields(bytes: Uint8Array, { start, end }: TextPart): MessageField[] | undefined {
  const fields: MessageField[] = [];
  for (let at = start; at < end; ) {
    const tag = readNumber(bytes, at, end);
    if (tag === undefined || tag[0] < 8) return undefined;
    const field = fieldAt(bytes, tag[0], tag[1], end);
    if (field === undefined || field.end > end) return undefined;
    fields.push(field);
    at = field.end;
  }
  return fields;
}
