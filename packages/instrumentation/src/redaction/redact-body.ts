import {
  brotliCompressSync,
  brotliDecompressSync,
  deflateSync,
  gunzipSync,
  gzipSync,
  inflateSync,
  zstdCompressSync,
  zstdDecompressSync,
} from 'node:zlib';
import { REDACTED_COMPRESSED_BYTES_MAX, REDACTED_UNPACKED_BYTES_MAX } from '../limits.ts';
import { documentEdits } from './redact-documents.ts';
import type { Redactor } from './redactor.ts';
import { editedText, type TextEdit } from './text-edit.ts';
import type { TextPart } from './text-part.ts';

const eventData = /^data:[ ]?/gm;

/** The data lines of a stream of events; each is a document, or a piece of text where it is none. */
function eventParts(text: string): TextPart[] {
  const parts: TextPart[] = [];
  for (const { index, 0: found } of text.matchAll(eventData)) {
    const start = index + found.length;
    const newline = text.indexOf('\n', start);
    const lineEnd = newline < 0 ? text.length : newline;
    const end = text[lineEnd - 1] === '\r' ? lineEnd - 1 : lineEnd;
    if (end > start) parts.push({ start, end });
  }
  return parts;
}

function lineParts(text: string): TextPart[] {
  const parts: TextPart[] = [];
  for (let start = 0; start < text.length; ) {
    const newline = text.indexOf('\n', start);
    const end = newline < 0 ? text.length : newline;
    if (end > start) parts.push({ start, end });
    start = end + 1;
  }
  return parts;
}

/** What to replace in a body, by what its content type says it is. `contentType` may be empty. */
export function bodyEdits(redactor: Redactor, text: string, contentType: string): readonly TextEdit[] {
  if (/event-stream/i.test(contentType) || /^(?:event|data|id|retry): ?/.test(text))
    return eventStreamEdits(redactor, text);
  if (/ndjson|jsonl|json-seq/i.test(contentType)) return documentEdits(redactor, text, lineParts(text), true).edits;
  if (!redactor.mayHold(text)) return [];
  return documentEdits(redactor, text, [{ start: 0, end: text.length }], false).edits;
}

/** What stands outside the data lines is plain text: comments, names of events, ids. */
function eventStreamEdits(redactor: Redactor, text: string): readonly TextEdit[] {
  const parts = eventParts(text);
  const { edits } = documentEdits(redactor, text, parts, true);
  const outside: TextPart[] = [];
  // Between most events the same stands again and again.
  const clean = new Set<string>();
  let from = 0;
  for (const { start, end } of [...parts, { start: text.length, end: text.length }]) {
    const between = text.slice(from, start);
    if (start > from && !clean.has(between)) {
      if (redactor.mayHold(between)) outside.push({ start: from, end: start, isPlain: true });
      else clean.add(between);
    }
    from = end;
  }
  if (outside.length === 0) return edits;
  const more = documentEdits(redactor, text, outside, false).edits;
  return [...edits, ...more].sort((left, right) => left.start - right.start);
}

interface Coding {
  readonly unpack: (bytes: Uint8Array, options: { maxOutputLength: number }) => Buffer;
  readonly pack: (bytes: Uint8Array) => Buffer;
}

const codings: Readonly<Record<string, Coding>> = {
  gzip: { unpack: gunzipSync, pack: gzipSync },
  'x-gzip': { unpack: gunzipSync, pack: gzipSync },
  deflate: { unpack: inflateSync, pack: deflateSync },
  br: { unpack: brotliDecompressSync, pack: brotliCompressSync },
  zstd: { unpack: zstdDecompressSync, pack: zstdCompressSync },
};

/** A compressed body: without its secrets, untouched where it has none, `unread` where it cannot be looked into. */
export function redactedCompressed(
  redactor: Redactor,
  bytes: Buffer,
  coding: string,
  contentType: string,
): Buffer | 'untouched' | 'unread' {
  const known = codings[coding.trim().toLowerCase()];
  if (known === undefined || bytes.byteLength > REDACTED_COMPRESSED_BYTES_MAX) return 'unread';
  try {
    const unpacked = known.unpack(bytes, { maxOutputLength: REDACTED_UNPACKED_BYTES_MAX });
    const changed = redactedBytesBody(redactor, unpacked, contentType);
    return changed === undefined ? 'untouched' : known.pack(changed);
  } catch {
    // Cut off, damaged, or larger than what is looked at.
    return 'unread';
  }
}

/** A body of bytes without its secrets; undefined where it has none. One character stands for one byte. */
export function redactedBytesBody(redactor: Redactor, bytes: Buffer, contentType: string): Buffer | undefined {
  const asText = bytes.toString('utf8');
  const isText = Buffer.from(asText, 'utf8').equals(bytes);
  const text = isText ? asText : bytes.toString('latin1');
  const edits = bodyEdits(redactor, text, contentType);
  if (edits.length === 0) return undefined;
  return Buffer.from(editedText(text, edits), isText ? 'utf8' : 'latin1');
}
