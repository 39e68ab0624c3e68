import { promisify } from 'node:util';
import { gunzip, type InputType, zstdDecompress } from 'node:zlib';
import { ReenactError } from '@reenact/trace-model';
import { CONTENT_ENCODINGS, type ContentEncoding } from './config.ts';
import { tooLarge } from './read-body.ts';

const gunzipAsync = promisify(gunzip);

/** The encoding a request names. Throws ReenactError `unsupported` naming those that are taken. */
export function readContentEncoding(header: string | undefined): ContentEncoding {
  const name = (header ?? '').trim().toLowerCase();
  if (name === '') return 'identity';
  const known = CONTENT_ENCODINGS.find((encoding) => encoding === name);
  if (known !== undefined) return known;
  throw new ReenactError('unsupported', `The content encoding "${name}" is not known.`, {
    where: 'content-encoding',
    next: `Send ${CONTENT_ENCODINGS.join(', ')}.`,
  });
}

/**
 * Undoes a content encoding; inflating stops as soon as the limit is exceeded. Throws ReenactError `too-large`, or
 * `bad-request` when the data is damaged or cut off.
 */
export async function decompress(encoding: ContentEncoding, body: Buffer, bytesMax: number): Promise<Buffer> {
  try {
    switch (encoding) {
      case 'identity':
        return body;
      case 'gzip':
        return await gunzipAsync(body, { maxOutputLength: bytesMax });
      case 'zstd':
        return await inflateFrames(body, bytesMax);
    }
  } catch (thrown) {
    if (thrown instanceof Error && Reflect.get(thrown, 'code') === 'ERR_BUFFER_TOO_LARGE') {
      throw tooLarge(bytesMax, 'after decompression');
    }
    const reason = thrown instanceof Error ? thrown.message : String(thrown);
    throw new ReenactError('bad-request', `The ${encoding} data of the request is damaged or cut off: ${reason}.`, {
      where: 'request body',
      next: 'Send the request again as a whole.',
    });
  }
}

/** zstd data may be several frames, and Node stops after the first. */
async function inflateFrames(body: Buffer, bytesMax: number): Promise<Buffer> {
  const frames: Buffer[] = [];
  let bytes = 0;
  let rest: Buffer = body;
  do {
    const { content, consumed } = await inflateFrame(rest, bytesMax - bytes);
    frames.push(content);
    bytes += content.length;
    rest = rest.subarray(consumed);
  } while (rest.length > 0);
  return frames.length === 1 && frames[0] !== undefined ? frames[0] : Buffer.concat(frames, bytes);
}

interface InflatedFrame {
  readonly content: Buffer;
  readonly consumed: number;
}

/** With `info`, Node's callback gets the engine too, which knows how much it read; the types do not say so. */
type InflateWithInfo = (
  data: InputType,
  options: { info: true; maxOutputLength: number },
  done: (error: Error | null, result: { buffer: Buffer; engine: { bytesWritten: number } }) => void,
) => void;

function inflateFrame(data: Buffer, bytesMax: number): Promise<InflatedFrame> {
  const inflate = zstdDecompress as unknown as InflateWithInfo;
  return new Promise((resolve, reject) => {
    inflate(data, { info: true, maxOutputLength: Math.max(bytesMax, 1) }, (error, result) => {
      if (error !== null) reject(error);
      else resolve({ content: result.buffer, consumed: Math.max(result.engine.bytesWritten, 1) });
    });
  });
}
