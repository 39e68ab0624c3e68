/** What a browser lays out in a moment. */
const PIECE_CHARACTERS = 20_000;

/** Where a piece that begins there ends: behind a line if it can, and never inside of a character. */
function endOfPiece(text: string, from: number): number {
  const cut = from + PIECE_CHARACTERS;
  if (cut >= text.length) return text.length;
  // Within the piece alone: else a text of one line would be searched through from each of its pieces.
  const line = text.slice(from, cut).lastIndexOf('\n');
  if (line > 0) return from + line + 1;
  const isInside = /[\ud800-\udbff]/.test(text.charAt(cut - 1));
  return isInside ? cut - 1 : cut;
}

/** A text in pieces, of which a browser lays out only those that are looked at: all of 20 MB would keep it busy for a minute. Together they are the text. */
export function textPieces(text: string): string[] {
  const pieces: string[] = [];
  for (let from = 0; from < text.length; ) {
    const end = endOfPiece(text, from);
    pieces.push(text.slice(from, end));
    from = end;
  }
  return pieces;
}
