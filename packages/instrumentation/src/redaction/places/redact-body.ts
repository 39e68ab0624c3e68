import type { Redactor } from '../redactor/redactor.ts';
import type { TextEdit } from '../text/text-edit.ts';
import type { TextPart } from '../text/text-part.ts';
import { documentEdits } from './redact-documents.ts';

const eventData = /^data:[ ]?/gm;

/** What a line begins with that is no document of JSON, and no mark of the end. */
const noDocument = /[ \t]*[^\s{["]/y;
const bareScalar = /[ \t]*(?:-?\d[\d.eE+-]*|true|false|null)[ \t]*(?=\r?$)/my;

function matchesAt(pattern: RegExp, text: string, at: number): boolean {
  pattern.lastIndex = at;
  return pattern.test(text);
}

/** Of a text that streams as it is, a piece may be digits alone: it is no number there. */
function asPieces(text: string, parts: readonly TextPart[]): readonly TextPart[] {
  const scalars = new Set(parts.filter(({ start }) => matchesAt(bareScalar, text, start)));
  if (scalars.size === 0) return parts;
  const isOfText = parts.some((part) => !scalars.has(part) && matchesAt(noDocument, text, part.start));
  return isOfText ? parts.map((part) => (scalars.has(part) ? { ...part, isPlain: true } : part)) : parts;
}

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

/** What a search of a body came to. */
export interface SearchedBody {
  readonly edits: readonly TextEdit[];
  /** Whether something in it could not be looked into: packed bytes in a document. */
  readonly isUnread: boolean;
}

const clean: SearchedBody = { edits: [], isUnread: false };

function searchedParts(redactor: Redactor, text: string, parts: readonly TextPart[], isStream: boolean): SearchedBody {
  const { edits, unread } = documentEdits(redactor, text, parts, isStream);
  return { edits, isUnread: unread.length > 0 };
}

/** Searches a body by what its content type says it is. `contentType` may be empty. */
export function searchedBody(redactor: Redactor, text: string, contentType: string): SearchedBody {
  if (/event-stream/i.test(contentType) || /^(?:event|data|id|retry): ?/.test(text))
    return searchedEvents(redactor, text);
  if (/ndjson|jsonl|json-seq/i.test(contentType)) return searchedParts(redactor, text, lineParts(text), true);
  if (!redactor.mayHold(text)) return clean;
  return searchedParts(redactor, text, [{ start: 0, end: text.length }], false);
}

/** What to replace in a body. */
export function bodyEdits(redactor: Redactor, text: string, contentType: string): readonly TextEdit[] {
  return searchedBody(redactor, text, contentType).edits;
}

/** What stands outside the data lines is plain text: comments, names of events, ids. */
function searchedEvents(redactor: Redactor, text: string): SearchedBody {
  const parts = asPieces(text, eventParts(text));
  const within = searchedParts(redactor, text, parts, true);
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
  if (outside.length === 0) return within;
  const more = documentEdits(redactor, text, outside, false).edits;
  const edits = [...within.edits, ...more].sort((left, right) => left.start - right.start);
  return { ...within, edits };
}
