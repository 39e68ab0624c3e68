import { chunkBytes, type ExchangeChunk, toChunk } from '@reenact/trace-model';
import type { Redactor } from '../redactor/redactor.ts';
import { editedPieces } from '../text/text-edit.ts';
import { searchedBody } from './redact-body.ts';
import { type BytesFacts, isProse, mayBeMessage, redactedBytes } from './redact-bytes.ts';

/** The body of an answer as it came. */
export interface ChunkedBody extends BytesFacts {
  readonly chunks: readonly ExchangeChunk[];
  /** Whether all of it came. */
  readonly isWhole: boolean;
}

/** What a search of a body came to: its chunks without secrets, undefined where none was found. */
export interface SearchedChunks {
  readonly changed: readonly ExchangeChunk[] | undefined;
  /** Whether something in it could not be looked into. */
  readonly isUnread: boolean;
}

/** A text without secrets, its chunks at their old times. */
function redactedPieces(redactor: Redactor, chunks: readonly ExchangeChunk[], contentType: string): SearchedChunks {
  const isText = chunks.every(([, data]) => typeof data === 'string');
  // A chunk that ends inside a character is kept as bytes: then one character stands for one byte.
  const pieces = isText
    ? chunks.map(([, data]) => data as string)
    : chunks.map((chunk) => Buffer.from(chunkBytes(chunk)).toString('latin1'));
  const { edits, isUnread } = searchedBody(redactor, pieces.join(''), contentType);
  if (edits.length === 0) return { changed: undefined, isUnread };
  const edited = editedPieces(pieces, edits);
  const changed = chunks.flatMap(([offsetUs], index): ExchangeChunk[] => {
    const text = edited[index] ?? '';
    // A stream cannot hand over an empty chunk.
    if (text === '') return [];
    return [isText ? [offsetUs, text] : toChunk(offsetUs, Buffer.from(text, 'latin1'))];
  });
  return { changed, isUnread };
}

/** Bytes that stayed as long as they were come in the chunks that they came in, others in the first of these. */
function inChunks(changed: Buffer, whole: Buffer, chunks: readonly ExchangeChunk[]): ExchangeChunk[] {
  if (changed.byteLength !== whole.byteLength) return [toChunk(chunks[0]?.[0] ?? 0, changed)];
  let at = 0;
  return chunks.map((chunk) => {
    const start = at;
    at += chunkBytes(chunk).byteLength;
    return toChunk(chunk[0], changed.subarray(start, at));
  });
}

/** The chunks of a body without its secrets. */
export function redactedBodyChunks(redactor: Redactor, { chunks, isWhole, ...facts }: ChunkedBody): SearchedChunks {
  const { contentType, coding } = facts;
  const asText = (): SearchedChunks => redactedPieces(redactor, chunks, contentType);
  const [first] = chunks;
  const isText = chunks.every(([, data]) => typeof data === 'string');
  if (isText && coding === '' && !mayBeMessage(String(first?.[1]), contentType)) return asText();
  const whole = Buffer.concat(chunks.map(chunkBytes));
  if (isProse(whole, facts)) return asText();
  const { changed, isUnread } = redactedBytes(redactor, whole, facts, isWhole);
  return { changed: changed === undefined ? undefined : inChunks(changed, whole, chunks), isUnread };
}
