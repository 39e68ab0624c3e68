import type { Redactor } from '../redactor/redactor.ts';
import { streamKeys } from '../streams/stream-key.ts';
import type { JsonLeaf } from '../text/json-leaves.ts';
import { beginPacked, canUnpack, PACKING_BEGINNING_BYTES } from '../text/unpacker.ts';
import type { SearchedLeaf } from './bytes-in-documents.ts';
import { redactedBytes } from './redact-bytes.ts';

interface Piece {
  readonly leaf: JsonLeaf;
  readonly bytes: Buffer;
}

/** The bytes that run through the events, each as its pieces. */
function runsOf(parts: readonly (readonly JsonLeaf[])[]): Piece[][] {
  const runs = new Map<string, Piece[]>();
  for (const leaves of parts) {
    if (!leaves.some(({ isBytes }) => isBytes)) continue;
    const keys = streamKeys(leaves);
    leaves.forEach((leaf, index) => {
      if (!leaf.isBytes) return;
      const key = keys[index] ?? '';
      const piece = { leaf, bytes: Buffer.from(leaf.value, 'base64') };
      const run = runs.get(key);
      if (run === undefined) runs.set(key, [piece]);
      else run.push(piece);
    });
  }
  return [...runs.values()].filter((pieces) => pieces.length > 1);
}

/** What a run begins with may itself be cut. */
function beginsPackedAt(run: readonly Piece[], from: number): boolean {
  const head: Buffer[] = [];
  for (let index = from, sizeBytes = 0; index < run.length && sizeBytes < PACKING_BEGINNING_BYTES; index += 1) {
    const bytes = run[index]?.bytes ?? Buffer.alloc(0);
    head.push(bytes.subarray(0, PACKING_BEGINNING_BYTES));
    sizeBytes += bytes.length;
  }
  return (run[from]?.bytes.length ?? 0) > 0 && beginPacked(Buffer.concat(head));
}

/** What is packed as one and came in several pieces. A piece that can be unpacked by itself is searched by itself. */
function packedRuns(run: readonly Piece[]): Piece[][] {
  const packed: Piece[][] = [];
  let open: Piece[] | undefined;
  run.forEach((piece, index) => {
    if (beginsPackedAt(run, index)) {
      open = canUnpack(piece.bytes) ? undefined : [piece];
      if (open !== undefined) packed.push(open);
    } else open?.push(piece);
  });
  return packed.filter((pieces) => pieces.length > 1);
}

/** As many bytes in each piece as it had; what is more comes with the last. */
function inPieces(changed: Buffer, pieces: readonly Piece[]): Buffer[] {
  let at = 0;
  return pieces.map(({ bytes }, index) => {
    const start = at;
    at = index === pieces.length - 1 ? changed.length : at + bytes.length;
    return changed.subarray(start, at);
  });
}

/** Of bytes that are packed as one and came one piece after the other, what a search of all of them together came to. */
export function streamedBytes(
  redactor: Redactor,
  parts: readonly (readonly JsonLeaf[])[],
): ReadonlyMap<JsonLeaf, SearchedLeaf> {
  const searched = new Map<JsonLeaf, SearchedLeaf>();
  for (const pieces of runsOf(parts).flatMap(packedRuns)) {
    const whole = Buffer.concat(pieces.map(({ bytes }) => bytes));
    const { changed, isUnread } = redactedBytes(redactor, whole, { contentType: '', coding: '' });
    const slices = changed === undefined ? [] : inPieces(changed, pieces);
    pieces.forEach(({ leaf }, index) => {
      searched.set(leaf, { changed: slices[index]?.toString('base64'), isUnread, alsoText: 'named' });
    });
  }
  return searched;
}
