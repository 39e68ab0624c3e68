import { closeSync, openSync, readSync } from 'node:fs';

const PIECE_BYTES = 4 * 1024 * 1024;
const NEW_LINE = 0x0a;

/**
 * The lines of a text file, without their ends: all of a large recording may be longer than a text may be. Throws what the system says where
 * it cannot be read.
 */
export function* linesOfFile(path: string): Generator<string> {
  const file = openSync(path, 'r');
  try {
    // What of a line has come so far: characters may lie on both sides of where a piece ends.
    let begun: Buffer[] = [];
    for (let piece = readPiece(file); piece.length > 0; piece = readPiece(file)) {
      let from = 0;
      for (let end = piece.indexOf(NEW_LINE); end !== -1; end = piece.indexOf(NEW_LINE, from)) {
        yield Buffer.concat([...begun, piece.subarray(from, end)]).toString('utf8');
        begun = [];
        from = end + 1;
      }
      begun.push(piece.subarray(from));
    }
    const last = Buffer.concat(begun);
    if (last.length > 0) yield last.toString('utf8');
  } finally {
    closeSync(file);
  }
}

function readPiece(file: number): Buffer {
  const piece = Buffer.allocUnsafe(PIECE_BYTES);
  return piece.subarray(0, readSync(file, piece, 0, PIECE_BYTES, null));
}
