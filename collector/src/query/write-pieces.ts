import type { ServerResponse } from 'node:http';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { READER_PATIENCE_MS } from '../limits.ts';

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
    await pipeline(Readable.from(pieces), response);
  } catch (thrown) {
    const hasLeft = thrown instanceof Error && Reflect.get(thrown, 'code') === 'ERR_STREAM_PREMATURE_CLOSE';
    if (!hasLeft) throw thrown;
  }
}
