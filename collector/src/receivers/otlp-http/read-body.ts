import type { IncomingMessage } from 'node:http';
import { ReenactError } from '@reenact/trace-model';
import type { ReusedMemory } from '../../reused-memory.ts';
import type { Room } from '../admission.ts';
import { tooLarge } from '../too-large.ts';

/**
 * Reads a request's body up to the limit into memory from `memory`, taking room as it arrives. Throws ReenactError `too-large` as soon as that is
 * clear, `store-busy` when there is no room, `bad-request` when the sender hangs up.
 */
export function readBody(
  request: IncomingMessage,
  bytesMax: number,
  room: Room,
  memory: ReusedMemory,
): Promise<Buffer<ArrayBuffer>> {
  const declared = Number(request.headers['content-length'] ?? 0);
  if (declared > bytesMax) return Promise.reject(tooLarge(bytesMax, `of ${declared} bytes`));
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let bytes = 0;
    const hangUp = () => reject(new ReenactError('bad-request', 'The connection closed inside the request.'));
    request.on('data', (chunk: Buffer) => {
      bytes += chunk.length;
      try {
        if (bytes > bytesMax) throw tooLarge(bytesMax, 'body');
        room.atLeast(bytes);
        chunks.push(chunk);
      } catch (thrown) {
        request.removeAllListeners('data');
        reject(thrown);
      }
    });
    request.on('end', () => resolve(join(chunks, memory.take(bytes))));
    request.on('error', hangUp);
    request.on('close', () => {
      if (!request.complete) hangUp();
    });
  });
}

function join(chunks: readonly Buffer[], body: Buffer<ArrayBuffer>): Buffer<ArrayBuffer> {
  let at = 0;
  for (const chunk of chunks) at += chunk.copy(body, at);
  return body;
}
