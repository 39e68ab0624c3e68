import type { IncomingMessage } from 'node:http';
import { ReenactError } from '@reenact/trace-model';

/** Says that a request is over the limit, before or after decompression. */
export function tooLarge(bytesMax: number, what: string): ReenactError {
  return new ReenactError('too-large', `The request ${what} exceeds the limit of ${bytesMax} bytes.`, {
    next: 'Export smaller batches, or raise requestBytesMax.',
  });
}

/**
 * Reads a request's body up to the limit. Throws ReenactError `too-large` as soon as that is clear, `bad-request` when
 * the sender hangs up.
 */
export function readBody(request: IncomingMessage, bytesMax: number): Promise<Buffer> {
  const declared = Number(request.headers['content-length'] ?? 0);
  if (declared > bytesMax) return Promise.reject(tooLarge(bytesMax, `of ${declared} bytes`));
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let bytes = 0;
    const hangUp = () => reject(new ReenactError('bad-request', 'The connection closed inside the request.'));
    request.on('data', (chunk: Buffer) => {
      bytes += chunk.length;
      if (bytes > bytesMax) {
        request.removeAllListeners('data');
        reject(tooLarge(bytesMax, 'body'));
      } else chunks.push(chunk);
    });
    request.on('end', () => resolve(Buffer.concat(chunks, bytes)));
    request.on('error', hangUp);
    request.on('close', () => {
      if (!request.complete) hangUp();
    });
  });
}
