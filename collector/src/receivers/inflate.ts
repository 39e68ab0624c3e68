import type { Transform } from 'node:stream';

/** What a stream of zlib is beside a transform. */
interface Inflater extends Transform {
  /** Bytes it has taken in. */
  readonly bytesWritten: number;
}

/** What came out, and how much of the data went into it. */
export interface Inflated {
  readonly content: Buffer;
  readonly consumed: number;
}

/**
 * Inflates data with a stream of zlib. `allow` is told how much has come out so far, before it is kept, and stops it by
 * throwing; rejects with what it throws, or with the stream's own error.
 */
export function inflate(engine: Inflater, data: Uint8Array, allow: (bytes: number) => void): Promise<Inflated> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let bytes = 0;
    engine.on('data', (chunk: Buffer) => {
      try {
        bytes += chunk.length;
        allow(bytes);
        chunks.push(chunk);
      } catch (thrown) {
        chunks.length = 0;
        engine.destroy();
        reject(thrown);
      }
    });
    engine.on('error', reject);
    engine.on('end', () => resolve({ content: Buffer.concat(chunks, bytes), consumed: engine.bytesWritten }));
    engine.end(data);
  });
}
