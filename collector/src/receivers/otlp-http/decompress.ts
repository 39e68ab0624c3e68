import { createGunzip, createZstdDecompress } from 'node:zlib';
import { isReenactError, ReenactError } from '@reenact/trace-model';
import { INFLATE_CHUNK_BYTES } from '../../limits.ts';
import type { Room } from '../admission.ts';
import { inflate } from '../inflate.ts';
import { tooLarge } from '../too-large.ts';
import { CONTENT_ENCODINGS, type ContentEncoding } from './config.ts';

/** The encoding a request names. Throws ReenactError `unsupported` naming those that are taken. */
export function readContentEncoding(header: string | undefined): ContentEncoding {
  const name = (header ?? '').trim().toLowerCase();
  if (name === '') return 'identity';
  // RFC 9110, 8.4.1.3: another name for the same.
  if (name === 'x-gzip') return 'gzip';
  const known = CONTENT_ENCODINGS.find((encoding) => encoding === name);
  if (known !== undefined) return known;
  throw new ReenactError('unsupported', `The content encoding "${name}" is not known.`, {
    where: 'content-encoding',
    next: `Send ${CONTENT_ENCODINGS.join(', ')}.`,
  });
}

/**
 * Undoes a content encoding, taking room as it inflates. Throws ReenactError `too-large` as soon as the limit is exceeded,
 * what the room throws when there is none, and `bad-request` when the data is damaged or cut off.
 */
export async function decompress(
  encoding: ContentEncoding,
  body: Buffer,
  bytesMax: number,
  room: Room,
): Promise<Buffer> {
  const allow = (bytes: number): void => {
    if (bytes > bytesMax) throw tooLarge(bytesMax, 'after decompression');
    room.atLeast(body.length + bytes);
  };
  try {
    switch (encoding) {
      case 'identity':
        return body;
      case 'gzip':
        return (await inflate(createGunzip({ chunkSize: INFLATE_CHUNK_BYTES }), body, allow)).content;
      case 'zstd':
        return await inflateFrames(body, allow);
    }
  } catch (thrown) {
    if (isReenactError(thrown)) throw thrown;
    const reason = thrown instanceof Error ? thrown.message : String(thrown);
    throw new ReenactError('bad-request', `The ${encoding} data of the request is damaged or cut off: ${reason}.`, {
      where: 'request body',
      next: 'Send the request again as a whole.',
    });
  }
}

/** zstd data may be several frames, and Node stops after the first. */
async function inflateFrames(body: Buffer, allow: (bytes: number) => void): Promise<Buffer> {
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
