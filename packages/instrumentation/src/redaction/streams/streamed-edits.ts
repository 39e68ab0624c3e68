import type { Redactor } from '../redactor/redactor.ts';
import type { JsonLeaf } from '../text/json-leaves.ts';
import { editedPieces, type TextEdit } from '../text/text-edit.ts';
import { isRepeated, streamKeys } from './stream-key.ts';

interface Piece {
  readonly leaf: JsonLeaf;
  readonly text: string;
}

/** The texts that run through the events, each as its pieces. */
function streamsOf(parts: readonly (readonly JsonLeaf[])[], searched: readonly (readonly string[])[]): Piece[][] {
  const streams = new Map<string, Piece[]>();
  parts.forEach((leaves, part) => {
    const keys = streamKeys(leaves);
    leaves.forEach((leaf, index) => {
      const text = searched[part]?.[index] ?? '';
      if (leaf.isNumber || text === '') return;
      const key = keys[index] ?? '';
      const pieces = streams.get(key);
      if (pieces !== undefined && isRepeated(text, pieces.at(-1)?.text)) return;
      if (pieces === undefined) streams.set(key, [{ leaf, text }]);
      else pieces.push({ leaf, text });
    });
  });
  return [...streams.values()].filter((pieces) => pieces.length > 1);
}

/** What to replace of one piece: the part of each spread replacement that falls into it. */
function perPiece(pieces: readonly string[], edit: TextEdit): (TextEdit | undefined)[] {
  const changed = editedPieces(pieces, [edit]);
  let offset = 0;
  return pieces.map((piece, index) => {
    const start = Math.max(0, edit.start - offset);
    const end = Math.min(piece.length, edit.end - offset);
    offset += piece.length;
    if (start >= end) return undefined;
    const after = piece.length - end;
    const text = changed[index] ?? '';
    return { start, end, text: text.slice(start, text.length - after) };
  });
}

/** What to replace in which leaf because of what other events hold: a secret in pieces, or what introduces one. */
export function streamedEdits(
  redactor: Redactor,
  parts: readonly (readonly JsonLeaf[])[],
  searched: readonly (readonly string[])[],
): Map<JsonLeaf, TextEdit[]> {
  const edits = new Map<JsonLeaf, TextEdit[]>();
  for (const pieces of streamsOf(parts, searched)) {
    const texts = pieces.map(({ text }) => text);
    const whole = texts.join('');
    if (!redactor.mayHold(whole)) continue;
    const seams: number[] = [];
    let position = 0;
    for (const text of texts.slice(0, -1)) {
      position += text.length;
      seams.push(position);
    }
    const path = pieces[0]?.leaf.steps ?? [];
    for (const span of redactor.spans(whole, path, seams)) {
      redactor.count(span.rule, 1);
      const edit = redactor.replacement(span, whole);
      perPiece(texts, edit).forEach((part, index) => {
        const leaf = pieces[index]?.leaf;
        if (part === undefined || leaf === undefined) return;
        edits.set(leaf, [...(edits.get(leaf) ?? []), part]);
      });
    }
  }
  return edits;
}
