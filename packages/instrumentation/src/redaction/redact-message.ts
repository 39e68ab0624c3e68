import { type MessageLeaf, messageLeaves } from './message-leaves.ts';
import type { MessageNames } from './message-names.ts';
import { isPlaceholder, placeholdersIn } from './placeholder.ts';
import { bodyEdits } from './redact-body.ts';
import type { Redactor } from './redactor.ts';
import { isRoundTripValue } from './secret-names.ts';
import type { TextEdit } from './text-edit.ts';

const shortToken = /^#[0-9a-f]+$/;

/** How many of so many digits say that the others are ours. */
function checkDigits(count: number): number {
  return count < 2 ? 0 : Math.min(4, Math.floor(count / 2));
}

/** A token of this length: the whole one where it has room, else the beginning of what tells secrets apart, and of its own hash. */
function tokenOf(redactor: Redactor, length: number, token: string): string {
  if (token.length <= length) return token.padEnd(length, '*');
  const [mac = ''] = /[0-9a-f]{16}(?=\])/.exec(token) ?? [];
  const checked = checkDigits(length - 1);
  const digits = mac.repeat(Math.ceil(length / 16)).slice(0, Math.max(0, length - 1 - checked));
  return `#${digits}${redactor.mac(`#${digits}`).slice(0, checked)}`.slice(0, length);
}

/** Whether a value is a token of this key: what a replay served comes back to where a secret is expected. */
function isOwnToken(redactor: Redactor, value: string): boolean {
  if (isPlaceholder(value.replace(/\*+$/, ''))) return true;
  if (!shortToken.test(value)) return false;
  const checked = checkDigits(value.length - 1);
  const digits = value.slice(0, value.length - checked);
  return checked > 0 && redactor.mac(digits).slice(0, checked) === value.slice(digits.length);
}

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
  return isOpaque === true ? [] : bodyEdits(redactor, value, '');
}

/**
 * A serialized message without its secrets, byte for byte as long as it was, so that its parser reads it as before: protobuf field
 * by field, other bytes by the texts in them. `names`: the definition of the message, where that is known; without it secrets are
 * found by their form alone. Undefined where nothing was found.
 */
export function redactedMessage(
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
