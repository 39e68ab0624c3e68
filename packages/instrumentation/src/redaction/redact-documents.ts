import { type JsonLeaf, jsonLeaves, pointerOf } from './json-leaves.ts';
import { mayStream } from './may-stream.ts';
import { holdsPlaceholder } from './placeholder.ts';
import type { Redactor } from './redactor.ts';
import { streamedEdits } from './streamed-edits.ts';
import { editedText, type TextEdit } from './text-edit.ts';

/** A part of a text that is one JSON document, or plain text. */
export interface TextPart {
  readonly start: number;
  readonly end: number;
  /** Plain text even if it looks like JSON. */
  readonly isPlain?: true;
}

/** What to replace in a text, and the JSON pointers of what held secrets, below the part they are in. */
export interface DocumentEdits {
  readonly edits: readonly TextEdit[];
  readonly pointers: readonly string[];
}

function leavesOf(text: string, part: TextPart): { readonly list: readonly JsonLeaf[]; readonly isPlain: boolean } {
  const list = part.isPlain === true ? undefined : jsonLeaves(text, part.start, part.end);
  return list === undefined ? { list: [plainLeaf(text, part)], isPlain: true } : { list, isPlain: false };
}

function plainLeaf(text: string, { start, end }: TextPart): JsonLeaf {
  const value = text.slice(start, end);
  return { start, end, value, steps: [], isNumber: false, name: undefined, calledBy: undefined, isBytes: false };
}

/** The text a leaf's secrets are looked for in: of recorded bytes, one character per byte. */
export function searchedValue({ isBytes, value }: JsonLeaf): string {
  return isBytes ? Buffer.from(value, 'base64').toString('latin1') : value;
}

/** How the changed value of a leaf is written in its document. */
function written({ isBytes, isNumber }: JsonLeaf, isPlain: boolean, changed: string): string {
  if (isPlain) return changed;
  if (isBytes) return JSON.stringify(Buffer.from(changed, 'latin1').toString('base64'));
  // A number becomes a text: nothing else can say what stood here.
  return isNumber || changed !== '' ? JSON.stringify(changed) : '""';
}

function merged(own: readonly TextEdit[], streamed: readonly TextEdit[]): TextEdit[] {
  if (streamed.length === 0) return [...own];
  const sorted = [...own, ...streamed].sort((left, right) => left.start - right.start || right.end - left.end);
  const apart: TextEdit[] = [];
  for (const edit of sorted) {
    const last = apart.at(-1);
    if (last === undefined || edit.start >= last.end) apart.push(edit);
    else apart[apart.length - 1] = { ...last, end: Math.max(last.end, edit.end) };
  }
  return apart;
}

/**
 * Finds the secrets of a text made of parts, in order. `isStream`: the parts are what came one by one, so that a secret may
 * begin in one and end in another.
 */
export function documentEdits(
  redactor: Redactor,
  text: string,
  parts: readonly TextPart[],
  isStream: boolean,
): DocumentEdits {
  const isPlainlyClean = isStream && !redactor.mayHold(text);
  if (isPlainlyClean && !mayStream(redactor, text, parts)) return { edits: [], pointers: [] };
  const read = parts.map((part) => leavesOf(text, part));
  const leaves = read.map(({ list }) => list);
  const searched = leaves.map((list) => list.map(searchedValue));
  const acrossOf = isStream ? streamedEdits(redactor, leaves, searched) : undefined;
  const edits: TextEdit[] = [];
  const pointers: string[] = [];
  leaves.forEach((list, part) => {
    const isPlain = read[part]?.isPlain === true;
    list.forEach((leaf, index) => {
      const value = searched[part]?.[index] ?? leaf.value;
      const across = acrossOf?.get(leaf) ?? [];
      const own = redactor.leafEdits({ ...leaf, value });
      const changes = merged(own, across);
      if (changes.length === 0) {
        // What an upstream hop or a replay put there already is redacted, too.
        if (holdsPlaceholder(value)) pointers.push(pointerOf(leaf.steps));
        return;
      }
      pointers.push(pointerOf(leaf.steps));
      edits.push({ start: leaf.start, end: leaf.end, text: written(leaf, isPlain, editedText(value, changes)) });
    });
  });
  return { edits, pointers };
}
