import { BLOB_BYTES_MAX } from '../limits.ts';

/** What Node.js itself reads a `Blob` by. Its callback is called at once where the bytes are in memory. */
interface BlobReader {
  /** `status`: 0 at the end, negative where they cannot be read. */
  pull(callback: (status: number, bytes: ArrayBuffer | ArrayBufferView | undefined) => void): void;
}

interface BlobHandle {
  getReader(): BlobReader;
}

function isHandle(value: unknown): value is BlobHandle {
  return typeof value === 'object' && value !== null && typeof Reflect.get(value, 'getReader') === 'function';
}

/** The platform reads blobs by promises alone; what those are made of stands under a symbol of its own. */
function handleOf(blob: Blob): BlobHandle | undefined {
  const key = Object.getOwnPropertySymbols(blob).find(({ description }) => description === 'kHandle');
  const handle: unknown = key === undefined ? undefined : Reflect.get(blob, key);
  return isHandle(handle) ? handle : undefined;
}

function copyOf(bytes: ArrayBuffer | ArrayBufferView): Buffer {
  return ArrayBuffer.isView(bytes) ? Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength) : Buffer.from(bytes);
}

function chunksOf(handle: BlobHandle): Buffer[] | undefined {
  const reader = handle.getReader();
  const chunks: Buffer[] = [];
  let state: 'reading' | 'waiting' | 'ended' | 'failed' = 'reading';
  while (state === 'reading') {
    state = 'waiting';
    reader.pull((status, bytes) => {
      state = status === 0 ? 'ended' : status < 0 ? 'failed' : 'reading';
      if (bytes !== undefined && status > 0) chunks.push(copyOf(bytes));
    });
  }
  return (state as string) === 'ended' ? chunks : undefined;
}

/**
 * The bytes of a blob, read without waiting. Undefined of one that stands in a file, of a very large one, and where this
 * Node.js keeps them in another way.
 */
export function blobBytes(blob: Blob): Buffer | undefined {
  const { size } = blob;
  if (size > BLOB_BYTES_MAX) return undefined;
  const handle = handleOf(blob);
  const chunks = handle === undefined ? undefined : chunksOf(handle);
  const bytes = chunks === undefined ? undefined : Buffer.concat(chunks);
  return bytes?.byteLength === size ? bytes : undefined;
}
