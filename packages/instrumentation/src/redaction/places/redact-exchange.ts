import {
  chunkBytes,
  type Exchange,
  type ExchangeChunk,
  type ExchangeResponse,
  type InterimAnswer,
} from '@reenact/trace-model';
import { messagesOfRequest } from '../messages/method-messages.ts';
import { redactedText } from '../redactor/redacted-text.ts';
import type { Redactor } from '../redactor/redactor.ts';
import { holdsPlaceholder } from '../text/placeholder.ts';
import { editedText } from '../text/text-edit.ts';
import { searchedAddress } from './message-address.ts';
import { searchedBody } from './redact-body.ts';
import { isMessageText, redactedBytes } from './redact-bytes.ts';
import { redactedBodyChunks } from './redact-chunks.ts';
import { documentEdits } from './redact-documents.ts';
import { redactedHeaders } from './redact-headers.ts';

/** An exchange without its secrets, what was replaced and what could not be looked into, as JSON pointers below it. */
export interface RedactedExchange {
  readonly exchange: Exchange;
  readonly redacted: readonly string[];
  readonly unread: readonly string[];
}

type Request = Exchange['request'];
type Headers = ExchangeResponse['headers'];

function headerOf(headers: Headers, wanted: string): string {
  return headers.find(([name]) => name.toLowerCase() === wanted)?.[1] ?? '';
}

/** `notes`: undefined where the same address is told of elsewhere. */
function redactedAddress(redactor: Redactor, address: string, pointer: string, notes: Notes | undefined): string {
  const { changed, isUnread } = searchedAddress(redactor, address);
  const kept = redactedText(redactor, changed ?? address);
  if (isUnread) notes?.unread.push(pointer);
  if (changed !== undefined || holdsPlaceholder(kept)) notes?.redacted.push(pointer);
  return kept;
}

function redactedRequest(redactor: Redactor, request: Request, notes: Notes): Request {
  const url = redactedAddress(redactor, request.url, '/request/url', notes);
  const headers = redactedHeaders(redactor, request.headers);
  notes.headers('/request', headers);
  const body = redactedRequestBody(redactor, request, notes);
  return { ...request, url, headers, ...(body === undefined ? {} : { body }) };
}

function redactedRequestBody(redactor: Redactor, { body, headers, url }: Request, notes: Notes): Request['body'] {
  if (body === undefined || 'sameAs' in body) return body;
  const contentType = headerOf(headers, 'content-type');
  if ('text' in body && !isMessageText(body.text, contentType)) {
    const { edits, isUnread } = searchedBody(redactor, body.text, contentType);
    if (isUnread) notes.unread.push('/request/body');
    if (edits.length === 0) return body;
    notes.redacted.push('/request/body');
    return { text: editedText(body.text, edits) };
  }
  const bytes = 'text' in body ? Buffer.from(body.text, 'utf8') : Buffer.from(body.base64, 'base64');
  const coding = headerOf(headers, 'content-encoding');
  const { changed, isUnread } = redactedBytes(redactor, bytes, {
    contentType,
    coding,
    names: messagesOfRequest(url, contentType)?.request,
  });
  if (isUnread) notes.unread.push('/request/body');
  if (changed === undefined) return body;
  notes.redacted.push('/request/body');
  return 'text' in body ? { text: changed.toString('utf8') } : { base64: changed.toString('base64') };
}

/** What is told of one exchange. */
class Notes {
  readonly redacted: string[] = [];
  readonly unread: string[] = [];

  headers(above: string, headers: Headers, member = 'headers'): void {
    for (const [name, value] of headers) {
      if (holdsPlaceholder(value))
        this.redacted.push(`${above}/${member}/${name.replaceAll('~', '~0').replaceAll('/', '~1')}`);
    }
  }
}

function withLength(headers: Headers, sizeBytes: number): Headers {
  return headers.map(([name, value]) => [name, name.toLowerCase() === 'content-length' ? String(sizeBytes) : value]);
}

function sizeOf(chunks: readonly ExchangeChunk[]): number {
  return chunks.reduce((sum, chunk) => sum + chunkBytes(chunk).byteLength, 0);
}

function redactedBody(
  redactor: Redactor,
  { chunks, headers, end }: ExchangeResponse,
  { layer, request: { url } }: Exchange,
  notes: Notes,
): readonly ExchangeChunk[] | undefined {
  // Messages of gRPC were searched when they were taken: what is longer or shorter afterwards cannot be parsed.
  if (chunks.length === 0 || layer === 'grpc') return undefined;
  const contentType = headerOf(headers, 'content-type');
  const coding = layer === 'http' ? headerOf(headers, 'content-encoding') : '';
  const names = messagesOfRequest(url, contentType)?.response;
  const body = { chunks, contentType, coding, names, isWhole: end === 'complete' };
  const { changed, isUnread } = redactedBodyChunks(redactor, body);
  if (isUnread) notes.unread.push('/response/chunks');
  return changed;
}

function redactedResponse(
  redactor: Redactor,
  response: ExchangeResponse,
  exchange: Exchange,
  notes: Notes,
): ExchangeResponse {
  const isOfRequest = response.url === exchange.request.url;
  const url = redactedAddress(redactor, response.url, '/response/url', isOfRequest ? undefined : notes);
  // What a gRPC service says of a failure, and the reason phrase of HTTP.
  const statusText = redactedText(redactor, response.statusText);
  if (holdsPlaceholder(statusText)) notes.redacted.push('/response/statusText');
  const headers = redactedHeaders(redactor, response.headers);
  notes.headers('/response', headers);
  const trailers = response.trailers === undefined ? {} : { trailers: redactedHeaders(redactor, response.trailers) };
  notes.headers('/response', trailers.trailers ?? [], 'trailers');
  const chunks = redactedBody(redactor, response, exchange, notes);
  if (chunks === undefined) return { ...response, url, statusText, headers, ...trailers };
  notes.redacted.push('/response/chunks');
  const isWhole = response.end === 'complete';
  return {
    ...response,
    url,
    statusText,
    headers: isWhole ? withLength(headers, sizeOf(chunks)) : headers,
    ...trailers,
    chunks: [...chunks],
  };
}

function redactedInterim(redactor: Redactor, interim: readonly InterimAnswer[], notes: Notes): InterimAnswer[] {
  return interim.map((answer, index) => {
    const statusText = redactedText(redactor, answer.statusText);
    if (holdsPlaceholder(statusText)) notes.redacted.push(`/interim/${index}/statusText`);
    const headers = redactedHeaders(redactor, answer.headers);
    notes.headers(`/interim/${index}`, headers);
    return { ...answer, statusText, headers };
  });
}

function redactedError(redactor: Redactor, error: unknown, notes: Notes): unknown {
  const text = JSON.stringify(error);
  if (text === undefined || !redactor.mayHold(text)) return error;
  const { edits } = documentEdits(redactor, text, [{ start: 0, end: text.length }], false);
  if (edits.length === 0) return error;
  notes.redacted.push('/error');
  return JSON.parse(editedText(text, edits)) as unknown;
}

/** One exchange without its secrets: its parser reads the same structure, chunk by chunk, with tokens in it. */
export function redactedExchange(redactor: Redactor, exchange: Exchange): RedactedExchange {
  const notes = new Notes();
  const { request, interim, response, error } = exchange;
  const kept: Exchange = {
    ...exchange,
    request: redactedRequest(redactor, request, notes),
    ...(interim === undefined ? {} : { interim: redactedInterim(redactor, interim, notes) }),
    ...(response === undefined ? {} : { response: redactedResponse(redactor, response, exchange, notes) }),
    ...(error === undefined ? {} : { error: redactedError(redactor, error, notes) }),
  };
  return { exchange: kept, redacted: notes.redacted, unread: notes.unread };
}
