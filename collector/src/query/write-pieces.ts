import { once } from 'node:events';
import type { ServerResponse } from 'node:http';

/**
 * Answers with pieces of a JSON document as they are made, no faster than they are read. Where a piece cannot be made the connection
 * breaks off, so that nobody takes what came before for the whole. Never rejects.
 */
export async function writePieces(response: ServerResponse, pieces: AsyncIterable<string>): Promise<void> {
  try {
    response.writeHead(200, { 'content-type': 'application/json', 'cache-control': 'no-store' });
    for await (const piece of pieces) {
      if (response.destroyed) return;
      if (!response.write(piece)) await Promise.race([once(response, 'drain'), once(response, 'close')]);
    }
    response.end();
  } catch {
    response.destroy();
  }
}
