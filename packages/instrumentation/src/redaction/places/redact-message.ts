import { MESSAGE_NESTING_MAX } from '../../limits.ts';
import { messageFields } from '../messages/message-fields.ts';
import { type MessageLeaf, messageLeaves } from '../messages/message-leaves.ts';
import type { MessageNames } from '../messages/message-names.ts';
import { isOwnToken, tokenOf } from '../messages/message-token.ts';
import { type NamedValues, namedValues } from '../redactor/named-values.ts';
import type { Redactor } from '../redactor/redactor.ts';
import { placeholdersIn } from '../text/placeholder.ts';
import { isRoundTripValue } from '../text/secret-names.ts';
import type { TextEdit } from '../text/text-edit.ts';
import type { TextPart } from '../text/text-part.ts';
import { bodyEdits } from './redact-body.ts';

/** A replacement exactly as long as what it replaces: every length around it stays true. What stands beside the token stays. */
function fitted(redactor: Redactor, { start, end, text }: TextEdit): string {
  const length = end - start;
  const [token] = placeholdersIn(text);
  const before = text.slice(0, token?.start ?? 0);
  const after = text.slice(token?.end ?? text.length);
  const room = length - before.length - after.length;
  if (room < 1) return tokenOf(redactor, length, text);
  return before + tokenOf(redactor, room, text.slice(before.length, text.length - after.length)) + after;
}

/** What its name or its path makes a secret as a whole; undefined where they do not. */
function wholeEdits(redactor: Redactor, value: string, { name, steps }: MessageLeaf): readonly TextEdit[] | undefined {
  const leaf = { value, name, steps, calledBy: undefined, isNumber: false, isBytes: false };
  const edits = redactor.leafEdits(leaf);
  const [first] = edits;
  return edits.length === 1 && first?.start === 0 && first.end === value.length ? edits : undefined;
}

function leafEdits(redactor: Redactor, value: string, leaf: MessageLeaf): readonly TextEdit[] {
  const { name, isOpaque } = leaf;
  if (name !== undefined) {
    if (isOwnToken(redactor, value) || isRoundTripValue(name, value)) return [];
    const whole = wholeEdits(redactor, value, leaf);
    if (whole !== undefined) return whole;
  }
  return isOpaque === true ? [] : textEdits(redactor, value);
}

/** Of a plain text with several secrets each by itself: together they cannot be fitted, and what is between them would be lost. */
function textEdits(redactor: Redactor, value: string): readonly TextEdit[] {
  const edits = bodyEdits(redactor, value, '');
  const [first] = edits;
  const isWhole = edits.length === 1 && first?.start === 0 && first.end === value.length;
  if (!isWhole || value.trimStart().startsWith('"') || placeholdersIn(first.text).length < 2) return edits;
  // They were counted when they were found.
  return redactor.spans(value).map((span) => redactor.replacement(span, value));
}

/** What is known of a message beside its bytes. Without it secrets are found by their form alone. */
export interface MessageFacts {
  /** Its definition. */
  readonly names?: MessageNames | undefined;
  /** The object that it was made from, or read into. */
  readonly object?: object | undefined;
}

/** Overwrites each field that holds one of these values and nothing else. */
function overwriteNamed(
  redactor: Redactor,
  { text, changed }: { readonly text: string; readonly changed: Buffer },
  part: TextPart,
  wanted: NamedValues,
  depth = 0,
): boolean {
  let isFound = false;
  for (const field of messageFields(changed, part) ?? []) {
    if (field.type !== 'bytes') continue;
    const { start, end } = field;
    const token = wanted.get(text.slice(start, end));
    if (token !== undefined) changed.write(tokenOf(redactor, end - start, token), start, 'latin1');
    const isWithin =
      token !== undefined ||
      (depth < MESSAGE_NESTING_MAX && overwriteNamed(redactor, { text, changed }, field, wanted, depth + 1));
    isFound ||= isWithin;
  }
  return isFound;
}

function withoutNamed(redactor: Redactor, bytes: Uint8Array, object: object | undefined): Buffer | undefined {
  const wanted = object === undefined ? undefined : namedValues(redactor, object);
  if (wanted === undefined || wanted.size === 0) return undefined;
  const changed = Buffer.from(bytes);
  const part = { start: 0, end: bytes.byteLength };
  return overwriteNamed(redactor, { text: changed.toString('latin1'), changed }, part, wanted) ? changed : undefined;
}

/**
 * A serialized message without its secrets, byte for byte as long as it was, so that its parser reads it as before: protobuf field
 * by field, other bytes by the texts in them. Undefined where nothing was found.
 */
export function redactedMessage(
  redactor: Redactor,
  bytes: Uint8Array,
  { names, object }: MessageFacts = {},
): Uint8Array | undefined {
  const own = withoutNamed(redactor, bytes, object);
  return searchedMessage(redactor, own ?? bytes, names) ?? own;
}

function searchedMessage(
  redactor: Redactor,
  bytes: Uint8Array,
  names: MessageNames | undefined,
): Uint8Array | undefined {
  const text = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('latin1');
  let changed: Buffer | undefined;
  let covered = 0;
  for (const leaf of messageLeaves({ bytes, text }, { start: 0, end: text.length }, names)) {
    // What was replaced as a whole is not looked into.
    if (leaf.start < covered) continue;
    const edits = leafEdits(redactor, text.slice(leaf.start, leaf.end), leaf);
    for (const edit of edits) {
      changed ??= Buffer.from(bytes);
      changed.write(fitted(redactor, edit), leaf.start + edit.start, 'latin1');
      covered = leaf.start + edit.end;
    }
  }
  return changed;
}
