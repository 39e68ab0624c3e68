/** One replacement in a text: what is from `start` up to `end` becomes `text`. */
export interface TextEdit {
  readonly start: number;
  readonly end: number;
  readonly text: string;
}

/** The text with its edits made; they are in order and apart. */
export function editedText(text: string, edits: readonly TextEdit[]): string {
  if (edits.length === 0) return text;
  let made = '';
  let from = 0;
  for (const edit of edits) {
    made += text.slice(from, edit.start) + edit.text;
    from = edit.end;
  }
  return made + text.slice(from);
}

/** What of a replacement goes into which piece: as even as its length allows, so that few pieces become empty. */
function shared(text: string, count: number): string[] {
  return Array.from({ length: count }, (_, index) =>
    text.slice(Math.ceil((index * text.length) / count), Math.ceil(((index + 1) * text.length) / count)),
  );
}

/**
 * The pieces of a text with edits made that are told in positions of the whole. A replacement that reaches over several
 * pieces is spread over them, so that each keeps its place and time.
 */
export function editedPieces(pieces: readonly string[], edits: readonly TextEdit[]): string[] {
  const starts: number[] = [];
  let total = 0;
  for (const piece of pieces) {
    starts.push(total);
    total += piece.length;
  }
  const perPiece: TextEdit[][] = pieces.map(() => []);
  let first = 0;
  for (const { start, end, text } of edits) {
    while (first + 1 < pieces.length && (starts[first + 1] ?? total) <= start) first += 1;
    let last = first;
    while (last + 1 < pieces.length && (starts[last + 1] ?? total) < end) last += 1;
    const touched = last - first + 1;
    shared(text, touched).forEach((share, index) => {
      const piece = first + index;
      const offset = starts[piece] ?? 0;
      const length = pieces[piece]?.length ?? 0;
      perPiece[piece]?.push({
        start: Math.max(0, start - offset),
        end: Math.min(length, end - offset),
        text: share,
      });
    });
    first = last;
  }
  return pieces.map((piece, index) => editedText(piece, perPiece[index] ?? []));
}
