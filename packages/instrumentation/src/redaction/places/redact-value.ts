import { type EncodedValue, type Payload, payloadOf, UNREADABLE_MARK } from '@reenact/trace-model';
import { mayHoldNamedMessage } from '../messages/method-messages.ts';
import type { Redactor } from '../redactor/redactor.ts';
import { editedText, type TextEdit } from '../text/text-edit.ts';
import type { TextPart } from '../text/text-part.ts';
import { redactedBytes } from './redact-bytes.ts';
import { documentEdits, type UnreadBytes } from './redact-documents.ts';

function partOf({ format }: Payload, text: string): TextPart {
  return { start: 0, end: text.length, ...(format === 'text' ? { isPlain: true } : {}) };
}

function redactedRoot(redactor: Redactor, value: EncodedValue, data: string): EncodedValue {
  const facts = { contentType: '', coding: '' };
  const { changed, isUnread } = redactedBytes(redactor, Buffer.from(data, 'base64'), facts);
  const told = isUnread ? { ...value, unread: [''] } : value;
  if (changed === undefined) return told;
  return { ...told, payload: payloadOf('base64', changed.toString('base64')), redacted: [''] };
}

/** An encoded value without its secrets. The same object where it has none. */
export function redactedValue(redactor: Redactor, value: EncodedValue): EncodedValue {
  return withRedactedMarks(redactor, redactedContent(redactor, value));
}

function redactedContent(redactor: Redactor, value: EncodedValue): EncodedValue {
  const { payload } = value;
  const { data, format } = payload;
  if (data === undefined) return value;
  if (format === 'base64') return redactedRoot(redactor, value, data);
  if (!redactor.mayHold(data) && !mayHoldNamedMessage(data)) return value;
  const { edits, pointers, unread } = documentEdits(redactor, data, [partOf(payload, data)], false);
  const told = unread.length === 0 ? value : { ...value, unread: unread.map(({ pointer }) => pointer) };
  if (pointers.length === 0) return told;
  return { ...told, payload: payloadOf(format, editedText(data, edits)), redacted: pointers };
}

/** Marks go through names of members, and quote why one could not be read: that stands nowhere in the value itself. */
function withRedactedMarks(redactor: Redactor, value: EncodedValue): EncodedValue {
  if (value.lossy.length === 0) return value;
  const lossy = value.lossy.map((mark) => redactedMark(redactor, mark));
  return lossy.every((mark, index) => mark === value.lossy[index]) ? value : { ...value, lossy };
}

function redactedMark(redactor: Redactor, mark: string): string {
  const at = mark.indexOf(UNREADABLE_MARK);
  const [pointer, reason] = at < 0 ? [mark, ''] : [mark.slice(0, at), mark.slice(at)];
  const steps = pointer.split('/').map((step) => step.replaceAll('~1', '/').replaceAll('~0', '~'));
  const kept = steps.map((step) => redactor.step(step).replaceAll('~', '~0').replaceAll('/', '~1'));
  return kept.join('/') + redactor.text(reason);
}

/** One chunk of a streamed outcome. */
export interface EncodedChunk {
  readonly offsetUs: number;
  readonly microtasks?: number | undefined;
  readonly value: EncodedValue;
}

/** The chunks of a stream without secrets, also those that began in one chunk and ended in another. */
export function redactedChunks(redactor: Redactor, chunks: readonly EncodedChunk[]): readonly EncodedChunk[] {
  const texts = chunks.map(({ value }) => value.payload.data ?? '');
  const text = texts.join('');
  const parts: TextPart[] = [];
  let start = 0;
  for (const [index, chunk] of chunks.entries()) {
    const end = start + (texts[index]?.length ?? 0);
    parts.push({ start, end, ...(chunk.value.payload.format === 'text' ? { isPlain: true } : {}) });
    start = end;
  }
  const perChunk = new Map<number, TextEdit[]>();
  const { edits, unread } = documentEdits(redactor, text, parts, true);
  let part = 0;
  for (const edit of edits) {
    while (edit.start >= (parts[part]?.end ?? Number.POSITIVE_INFINITY)) part += 1;
    const offset = parts[part]?.start ?? 0;
    const own = { ...edit, start: edit.start - offset, end: edit.end - offset };
    perChunk.set(part, [...(perChunk.get(part) ?? []), own]);
  }
  const areMarked = chunks.some(({ value }) => value.lossy.length > 0);
  if (edits.length === 0 && unread.length === 0 && !areMarked) return chunks;
  const unreadOf = Map.groupBy(unread, (one) => one.part);
  return chunks.map((chunk, index) => {
    const changed = changedChunk(chunk, perChunk.get(index), unreadOf.get(index));
    const value = withRedactedMarks(redactor, changed.value);
    return value === changed.value ? changed : { ...changed, value };
  });
}

function changedChunk(
  chunk: EncodedChunk,
  edits: readonly TextEdit[] | undefined,
  unread: readonly UnreadBytes[] | undefined,
): EncodedChunk {
  if (edits === undefined && unread === undefined) return chunk;
  const { value } = chunk;
  const told = unread === undefined ? value : { ...value, unread: unread.map(({ pointer }) => pointer) };
  if (edits === undefined) return { ...chunk, value: told };
  const { format, data = '' } = value.payload;
  return { ...chunk, value: { ...told, payload: payloadOf(format, editedText(data, edits)), redacted: [''] } };
}
