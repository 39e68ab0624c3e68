import { MESSAGE_NESTING_MAX } from '../limits.ts';
import { placeholdersIn } from './placeholder.ts';
import { bodyEdits } from './redact-body.ts';
import type { Redactor } from './redactor.ts';
import type { TextEdit } from './text-edit.ts';
import type { TextPart } from './text-part.ts';

const printable = /^[\t\n\r\x20-\x7e\x80-\xff]*$/;
const printableRuns = /[\t\n\r\x20-\x7e\x80-\xff]{6,}/g;

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

/** The length-delimited fields of a protobuf message; undefined where these bytes are none. */
function fieldsOf(bytes: Uint8Array, { start, end }: TextPart): TextPart[] | undefined {
  const fields: TextPart[] = [];
  for (let at = start; at < end; ) {
    const tag = readNumber(bytes, at, end);
    if (tag === undefined || tag[0] < 8) return undefined;
    at = tag[1];
    switch (tag[0] % 8) {
      case 0: {
        const number = readNumber(bytes, at, end);
        if (number === undefined) return undefined;
        at = number[1];
        break;
      }
      case 1:
        at += 8;
        break;
      case 2: {
        const size = readNumber(bytes, at, end);
        if (size === undefined || size[1] + size[0] > end) return undefined;
        at = size[1] + size[0];
        fields.push({ start: size[1], end: at });
        break;
      }
      case 5:
        at += 4;
        break;
      default:
        return undefined;
    }
    if (at > end) return undefined;
  }
  return fields;
}

/** The texts of a message. Each is searched by itself: beside it stand lengths that must not be taken for its characters. */
function textsOf(bytes: Uint8Array, text: string, part: TextPart, depth: number): TextPart[] {
  const own = text.slice(part.start, part.end);
  const isText = printable.test(own);
  // Fields may look like text as a whole, where their numbers do; text hardly ever looks like fields.
  const fields = isText && depth > 0 ? undefined : fieldsOf(bytes, part);
  if (fields !== undefined && depth < MESSAGE_NESTING_MAX)
    return fields.flatMap((field) => textsOf(bytes, text, field, depth + 1));
  if (isText) return [part];
  return Array.from(own.matchAll(printableRuns), ({ index, 0: run }) => ({
    start: part.start + index,
    end: part.start + index + run.length,
  }));
}

/** A token of this length: the whole one where it has room, else the beginning of what tells secrets apart. */
function tokenOf(length: number, token: string): string {
  if (token.length <= length) return token.padEnd(length, '*');
  const [mac = ''] = /[0-9a-f]{16}(?=\])/.exec(token) ?? [];
  return `#${mac.repeat(Math.ceil(length / 16))}`.slice(0, length);
}

/** A replacement exactly as long as what it replaces: every length around it stays true. What stands beside the token stays. */
function fitted({ start, end, text }: TextEdit): string {
  const length = end - start;
  const [token] = placeholdersIn(text);
  const before = text.slice(0, token?.start ?? 0);
  const after = text.slice(token?.end ?? text.length);
  const room = length - before.length - after.length;
  if (room < 1) return tokenOf(length, text);
  return before + tokenOf(room, text.slice(before.length, text.length - after.length)) + after;
}

/**
 * A serialized message without its secrets, byte for byte as long as it was, so that its parser reads it as before: protobuf field
 * by field, other bytes by the texts in them. Undefined where nothing was found. Names of fields are not known here.
 */
export function redactedMessage(redactor: Redactor, bytes: Uint8Array): Uint8Array | undefined {
  const text = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('latin1');
  let changed: Buffer | undefined;
  for (const part of textsOf(bytes, text, { start: 0, end: text.length }, 0)) {
    for (const edit of bodyEdits(redactor, text.slice(part.start, part.end), '')) {
      changed ??= Buffer.from(bytes);
      changed.write(fitted(edit), part.start + edit.start, 'latin1');
    }
  }
  return changed;
}
