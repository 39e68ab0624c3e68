import { MESSAGE_NESTING_MAX } from '../../limits.ts';
import type { TextPart } from '../text/text-part.ts';
import { textRuns } from '../text/text-runs.ts';
import { type MessageField, messageFields } from './message-fields.ts';
import type { FieldName, MessageNames } from './message-names.ts';

/** A part of a serialized message that is searched by itself. */
export interface MessageLeaf extends TextPart {
  /** Names from the outside to it, as far as they are known; numbers where they are not. */
  readonly steps: readonly string[];
  /** What it is called, where that is known. */
  readonly name?: string;
  /** Bytes: only their name says anything of the whole, and what is among them is searched beside. */
  readonly isOpaque?: true;
}

/** The bytes of a message, and the same bytes as characters. */
export interface SerializedMessage {
  readonly bytes: Uint8Array;
  readonly text: string;
}

/** Where in a message one is, and by what name one came there. */
interface Place {
  readonly steps: readonly string[];
  readonly depth: number;
  /** Of the field around, for a message that is nothing but a value. */
  readonly name?: string;
}

const printable = /^[\t\n\r\x20-\x7e\x80-\xff]*$/;

/** Messages that are nothing but a value: what names their field names that. */
const valueMessages: ReadonlySet<string> = new Set([
  'google.protobuf.BytesValue',
  'google.protobuf.ListValue',
  'google.protobuf.StringValue',
  'google.protobuf.Value',
]);

function inside({ steps, depth }: Place, step: string, name?: string): Place {
  return { steps: [...steps, step], depth: depth + 1, ...(name === undefined ? {} : { name }) };
}

/** What is searched in bytes of which nothing is known: fields, if they look like those, else the texts among them. */
function unnamedLeaves(message: SerializedMessage, part: TextPart, place: Place): MessageLeaf[] {
  const { steps, depth } = place;
  const own = message.text.slice(part.start, part.end);
  const isText = printable.test(own);
  // Fields may look like text as a whole, where their numbers do; text hardly ever looks like fields.
  const fields = isText && depth > 0 ? undefined : messageFields(message.bytes, part);
  if (fields !== undefined && depth < MESSAGE_NESTING_MAX) {
    return fields
      .filter(({ type }) => type === 'bytes')
      .flatMap((field) => unnamedLeaves(message, field, inside(place, String(field.number))));
  }
  if (isText) return [{ start: part.start, end: part.end, steps }];
  return textRuns(message.bytes, part).map((run) => ({ ...run, steps }));
}

/** The key of an entry of a map, which names its value. */
function keyOf({ text }: SerializedMessage, fields: readonly MessageField[]): string {
  const key = fields.find(({ number, type }) => number === 1 && type === 'bytes');
  return key === undefined ? '' : text.slice(key.start, key.end);
}

function leavesOfField(message: SerializedMessage, field: MessageField, known: FieldName, place: Place): MessageLeaf[] {
  const { name = known.name } = place;
  const within = inside(place, name, name);
  const leaf = { start: field.start, end: field.end, steps: within.steps, name };
  switch (known.holds) {
    case 'text':
      return [leaf];
    case 'bytes':
      return [{ ...leaf, isOpaque: true }, ...unnamedLeaves(message, field, within)];
    case 'message':
      return messageLeaves(message, field, known.message?.(), within);
    case 'other':
      return [];
  }
}

/**
 * The parts of a message that are searched, each by itself: beside it stand lengths that must not be taken for its characters. By its
 * definition where that is known; where it is not, and where the bytes are not what it says, by what they look like.
 */
export function messageLeaves(
  message: SerializedMessage,
  part: TextPart,
  names: MessageNames | undefined,
  place: Place = { steps: [], depth: 0 },
): MessageLeaf[] {
  const isKnown = names !== undefined && place.depth < MESSAGE_NESTING_MAX;
  const fields = isKnown ? messageFields(message.bytes, part) : undefined;
  if (fields === undefined || names === undefined) return unnamedLeaves(message, part, place);
  const { steps, depth } = place;
  const named = names.isMapEntry ? { ...place, name: keyOf(message, fields) } : place;
  return fields
    .filter(({ type }) => type === 'bytes')
    .flatMap((field) => {
      const known = names.fields.get(field.number);
      if (known === undefined) return unnamedLeaves(message, field, inside(place, String(field.number)));
      const isValue = valueMessages.has(names.name) || (names.isMapEntry && field.number === 2);
      return leavesOfField(message, field, known, isValue ? named : { steps, depth });
    });
}
