import { chunkBytes, type ExchangeChunk, type ExchangeResponse, type InterimAnswer } from '@reenact/trace-model';

/** The half of a response that comes before its body. */
export interface WireHead {
  readonly httpVersion: string;
  readonly status: number;
  readonly statusText: string;
  readonly headers: readonly (readonly [string, string])[];
}

const lineEnd = '\r\n';

function headerLines(headers: WireHead['headers']): string {
  return headers.map(([name, value]) => `${name}: ${value}${lineEnd}`).join('');
}

/** How the body of a response is told from what follows it. */
export function framingOf({ headers }: Pick<WireHead, 'headers'>): 'chunked' | 'length' | 'close' {
  const has = (wanted: string, value: RegExp): boolean =>
    headers.some(([name, text]) => name.toLowerCase() === wanted && value.test(text));
  if (has('transfer-encoding', /chunked\s*$/i)) return 'chunked';
  return has('content-length', /\d/) ? 'length' : 'close';
}

/** Status line and headers as they were on the wire. */
export function headBytes({ httpVersion, status, statusText, headers }: WireHead): Buffer {
  const text = `HTTP/${httpVersion} ${status} ${statusText}${lineEnd}${headerLines(headers)}${lineEnd}`;
  // Header values are bytes to Node's client: it reads and writes each as one character.
  return Buffer.from(text, 'latin1');
}

/** One chunk of a body in its frame. */
export function bodyBytes(head: Pick<WireHead, 'headers'>, bytes: Uint8Array): Buffer {
  if (framingOf(head) !== 'chunked') return Buffer.from(bytes);
  const size = Buffer.from(`${bytes.byteLength.toString(16)}${lineEnd}`, 'latin1');
  return Buffer.concat([size, bytes, Buffer.from(lineEnd, 'latin1')]);
}

/** What ends a chunked body. */
export function endBytes(trailers: WireHead['headers']): Buffer {
  return Buffer.from(`0${lineEnd}${headerLines(trailers)}${lineEnd}`, 'latin1');
}

/** The head of a recorded response. */
export function headOf({ httpVersion, status, statusText, headers }: ExchangeResponse): WireHead {
  return { httpVersion: httpVersion ?? '1.1', status, statusText, headers };
}

/** An answer before the response: those there are of HTTP/1.1 alone. */
export function interimBytes({ status, statusText, headers }: Omit<InterimAnswer, 'afterUs'>): Buffer {
  return headBytes({ httpVersion: '1.1', status, statusText, headers });
}

/** A recorded chunk in its frame. */
export function recordedBodyBytes(head: WireHead, chunk: ExchangeChunk): Buffer {
  return bodyBytes(head, chunkBytes(chunk));
}
