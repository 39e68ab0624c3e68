import type { ServerResponse } from 'node:http';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';

/**
 * Answers with pieces of a JSON document as they are made, no faster than they are read. Where a piece cannot be made the connection
 * breaks off, so that nobody takes what came before for the whole, and it rejects with why. A reader that leaves is no failure.
 */
export async function writePieces(response: ServerResponse, pieces: AsyncIterable<string>): Promise<void> {
  response.writeHead(200, { 'content-type': 'application/json', 'cache-control': 'no-store' });
  try {
    await pipeline(Readable.from(pieces), response);
  } catch (thrown) {
    const hasLeft = thrown instanceof Error && Reflect.get(thrown, 'code') === 'ERR_STREAM_PREMATURE_CLOSE';
    if (!hasLeft) throw thrown;
  }
}
