// Whole, because Node.js before 22.15 has no zstd: a name that is not there would end an app that imports this, recorded or not.
import zlib from 'node:zlib';
import { isTree } from '../json/json-tree.ts';

/** How many bytes a compressed body may have when it is unpacked to be compared; a larger one is compared as it was sent. */
export const UNPACKED_BODY_BYTES_MAX = 16 * 1024 * 1024;

interface UnpackOptions {
  readonly maxOutputLength: number;
  readonly info: true;
}

/** What `info` asks for: the types of Node.js do not know it. */
interface Unpacked {
  readonly buffer: Buffer;
  readonly engine: { readonly bytesWritten: number };
}

const unpackers: Readonly<Record<string, (bytes: Buffer, options: UnpackOptions) => unknown>> = {
  gzip: zlib.unzipSync,
  'x-gzip': zlib.unzipSync,
  deflate: zlib.inflateSync,
  br: zlib.brotliDecompressSync,
  zstd: zlib.zstdDecompressSync,
};

/**
 * The body of an HTTP input as what was compressed to it, where its headers say how (RFC 9110, section 8.4) and that is text; else as it is. Releases of
 * zlib compress one text differently, and of two that differ nobody could say in what.
 */
export function unpackedBody(headers: unknown, body: unknown): unknown {
  if (!isTree(headers) || !isTree(body) || typeof body.base64 !== 'string') return body;
  const coding = headers['content-encoding'];
  const unpack = typeof coding === 'string' ? unpackers[coding.trim().toLowerCase()] : undefined;
  if (unpack === undefined) return body;
  try {
    const packed = Buffer.from(body.base64, 'base64');
    const unpacked = unpack(packed, { maxOutputLength: UNPACKED_BODY_BYTES_MAX, info: true }) as Unpacked;
    // What stands behind its end is left unread, as is a second frame of zstd: it is not to pass for equal.
    if (unpacked.engine.bytesWritten !== packed.byteLength) return body;
    const bytes = unpacked.buffer;
    const text = bytes.toString('utf8');
    return Buffer.from(text, 'utf8').equals(bytes) ? { text } : body;
  } catch {
    return body;
  }
}
