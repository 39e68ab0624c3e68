import { createHash, hash } from 'node:crypto';
import { freeMemory } from '../../memory/free-memory.ts';
import { DICTIONARY_BYTES_MAX, DICTIONARY_SAMPLE_BYTES, DICTIONARY_TRACES_MAX } from '../limits.ts';

const TRACES_MIN = 4;
const PIECE_BYTES_MIN = 128;
const PIECE_BYTES_MAX = 4096;
const CUT_MASK = 0x1ff;

/** A fixed table of random numbers, one for each byte value, for finding places to cut that depend on content alone. */
const GEAR = Uint32Array.from({ length: 256 }, (_, value) =>
  createHash('sha256').update(Uint8Array.of(value)).digest().readUInt32LE(0),
);

/** How many bytes before a place decide whether it is one to cut: older ones have left the hash. */
const WINDOW_BYTES = 32;

/** Where the piece ends that begins at `start`. */
function endOfPiece(bytes: Uint8Array, start: number): number {
  const end = Math.min(start + PIECE_BYTES_MAX, bytes.length);
  const cutFrom = start + PIECE_BYTES_MIN - 1;
  let hash = 0;
  for (let at = Math.max(cutFrom - WINDOW_BYTES + 1, start); at < end; at += 1) {
    hash = ((hash << 1) + (GEAR[bytes[at] as number] as number)) | 0;
    if (((hash >>> 16) & CUT_MASK) === 0 && at >= cutFrom) return at + 1;
  }
  return end;
}

/** Cuts bytes where their content says so: equal passages are cut alike wherever they stand. */
function* cutPieces(bytes: Uint8Array): Generator<Uint8Array> {
  for (let start = 0; start < bytes.length; ) {
    const end = endOfPiece(bytes, start);
    yield bytes.subarray(start, end);
    start = end;
  }
}

/**
 * A compression dictionary of the passages that several of these traces share: system prompts, tool definitions,
 * resources. Undefined where they share little. It serves the one pack it was made for, so that rewriting the pack
 * after a deletion leaves nothing of the deleted trace behind. What `encode` gives is freed.
 */
export function buildDictionary(traces: number, encode: (trace: number) => Uint8Array): Buffer | undefined {
  if (traces < TRACES_MIN) return undefined;
  const step = Math.max(1, Math.floor(traces / DICTIONARY_TRACES_MAX));
  const pieces = new Map<string, { readonly bytes: Uint8Array; traces: number; last: number }>();
  for (let index = 0; index < traces; index += step) {
    // Copied: a view would hold all bytes of its trace until the dictionary is made.
    const whole = encode(index);
    const sample = Buffer.from(whole.subarray(0, DICTIONARY_SAMPLE_BYTES));
    freeMemory(whole);
    for (const bytes of cutPieces(sample)) {
      const key = hash('sha256', bytes, 'base64');
      const piece = pieces.get(key) ?? { bytes, traces: 0, last: -1 };
      if (piece.last !== index) piece.traces += 1;
      piece.last = index;
      pieces.set(key, piece);
    }
  }
  const shared = [...pieces.values()].filter(({ traces: count }) => count > 1);
  shared.sort((left, right) => right.traces - left.traces);
  let size = 0;
  const chosen = shared.filter(({ bytes }) => {
    size += bytes.length;
    return size <= DICTIONARY_BYTES_MAX;
  });
  if (chosen.length === 0) return undefined;
  // The most common passages go last, where a compressor reaches them with the shortest distances.
  chosen.sort((left, right) => left.traces - right.traces);
  return Buffer.concat(chosen.map(({ bytes }) => bytes));
}
