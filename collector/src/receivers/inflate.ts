import type { Transform } from 'node:stream';
import { createZstdDecompress } from 'node:zlib';
import { INFLATE_CHUNK_BYTES } from './limits.ts';

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

/** Inflates zstd data, which may be several frames: Node stops after the first. */
export async function inflateZstd(body: Buffer, allow: (bytes: number) => void): Promise<Buffer> {
  const frames: Buffer[] = [];
  let bytes = 0;
  let rest: Buffer = body;
  do {
    const engine = createZstdDecompress({ chunkSize: INFLATE_CHUNK_BYTES });
    const before = bytes;
    const { content, consumed } = await inflate(engine, rest, (more) => allow(before + more));
    frames.push(content);
    bytes += content.length;
    rest = rest.subarray(Math.max(consumed, 1));
  } while (rest.length > 0);
  return frames.length === 1 && frames[0] !== undefined ? frames[0] : Buffer.concat(frames, bytes);
}
