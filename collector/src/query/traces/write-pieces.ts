import type { ServerResponse } from 'node:http';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { READER_PATIENCE_MS, WRITTEN_CHARACTERS_MAX } from '../limits.ts';

/**
 * Answers with pieces of a JSON document as they are made, no faster than they are read. Where a piece cannot be made the connection
 * breaks off, so that nobody takes what came before for the whole, and it rejects with why. A reader that leaves is no failure, and one
 * that reads nothing for so long has left.
 */
export async function writePieces(
  response: ServerResponse,
  pieces: AsyncIterable<string>,
  patienceMs: number = READER_PATIENCE_MS,
): Promise<void> {
  response.setTimeout(patienceMs, () => response.destroy());
  response.writeHead(200, { 'content-type': 'application/json', 'cache-control': 'no-store' });
  try {
    await pipeline(Readable.from(inSlices(pieces)), response);
  } catch (thrown) {
    const hasLeft = thrown instanceof Error && Reflect.get(thrown, 'code') === 'ERR_STREAM_PREMATURE_CLOSE';
    if (!hasLeft) throw thrown;
  }
}

/** The same in slices of a bounded size: a piece becomes bytes slice by slice, and not once more as a whole. */
async function* inSlices(pieces: AsyncIterable<string>): AsyncGenerator<string> {
  for await (const piece of pieces) {
    for (let from = 0; from < piece.length; ) {
      const end = from + WRITTEN_CHARACTERS_MAX;
      // A pair of surrogates that is cut would become two characters that are none.
      const to = isHighSurrogate(piece.charCodeAt(end - 1)) ? end - 1 : end;
      yield piece.slice(from, to);
      from = to;
    }
  }
}

function isHighSurrogate(code: number): boolean {
  return code >= 0xd800 && code <= 0xdbff;
}
