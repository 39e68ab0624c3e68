import { createGunzip } from 'node:zlib';
import { isReenactError, ReenactError } from '@reenact/trace-model';
import type { Room } from '../admission.ts';
import { inflate, inflateZstd } from '../inflate.ts';
import { INFLATE_CHUNK_BYTES } from '../limits.ts';
import { tooLarge } from '../too-large.ts';
import { CONTENT_ENCODINGS, type ContentEncoding } from './config.ts';

const PLAIN_TRANSFERS: readonly string[] = ['', 'chunked', 'identity'];

/** Throws ReenactError `unsupported` for a transfer coding beside the chunks: Node.js takes off nothing else, and what is below is not what was meant. */
export function refuseTransferCodings(header: string | undefined): void {
  const codings = (header ?? '').toLowerCase().split(',');
  const further = codings.map((coding) => coding.trim()).filter((coding) => !PLAIN_TRANSFERS.includes(coding));
  if (further.length === 0) return;
  throw new ReenactError('unsupported', `The transfer coding "${further.join(', ')}" is not taken off.`, {
    where: 'transfer-encoding',
    next: `Name how the body is compressed in content-encoding (${CONTENT_ENCODINGS.join(', ')}), and only chunked here.`,
  });
}

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
        return await inflateZstd(body, allow);
    }
  } catch (thrown) {
    if (isReenactError(thrown)) throw thrown;
    const reason = thrown instanceof Error ? thrown.message : String(thrown);
    throw new ReenactError('bad-request', `The ${encoding} data of the request is damaged or cut off: ${reason}.`, {
      where: 'request body',
      next: /too much memory/.test(reason)
        ? 'Compress it with a window of 128 MiB or less.'
        : 'Send the request again as a whole.',
    });
  }
}
