import type { ClientHttp2Session, ClientHttp2Stream, OutgoingHttpHeaders } from 'node:http2';
import { constants } from 'node:http2';
import type { AnswerReader } from './given-secrets.ts';
import { openSession } from './open-session.ts';
import { type SentRequest, sentHeaders } from './sent-headers.ts';

/** They belong to a connection of HTTP/1, and HTTP/2 refuses them. */
const connectionNames = /^(connection|keep-alive|proxy-connection|transfer-encoding|upgrade|http2-settings|host|te)$/i;

function streamHeaders(sent: SentRequest): OutgoingHttpHeaders {
  const { method, target } = sent.request;
  const { host } = sent.headers;
  const plain = Object.entries(sentHeaders(sent)).filter(([name]) => !connectionNames.test(name));
  return {
    ...(host === undefined ? {} : { [constants.HTTP2_HEADER_AUTHORITY]: host }),
    ...Object.fromEntries(plain.map(([name, value]) => [name.toLowerCase(), value])),
    [constants.HTTP2_HEADER_METHOD]: method,
    [constants.HTTP2_HEADER_PATH]: target,
  };
}

/** Reads a stream to its end. A reset is an answer, too: the service's own process tells of it. */
function readToEnd(stream: ClientHttp2Stream, reader?: AnswerReader): Promise<boolean> {
  return new Promise((resolve) => {
    let wasAnswered = false;
    stream.on('response', (headers) => {
      wasAnswered = true;
      reader?.head(headers['set-cookie'] ?? []);
    });
    if (reader !== undefined) stream.on('data', (bytes: Buffer) => reader.chunk(bytes));
    stream.on('error', () => undefined);
    stream.on('close', () => resolve(wasAnswered));
    stream.resume();
  });
}

async function send(session: ClientHttp2Session, sent: SentRequest): Promise<boolean> {
  const { signal, request, reader } = sent;
  const pushed: Promise<boolean>[] = [];
  session.on('stream', (stream: ClientHttp2Stream) => pushed.push(readToEnd(stream)));
  const isEmpty = request.body.byteLength === 0;
  const stream = session.request(streamHeaders(sent), { endStream: isEmpty });
  const cancel = (): void => stream.close(constants.NGHTTP2_CANCEL);
  signal.addEventListener('abort', cancel, { once: true });
  const ended = readToEnd(stream, reader);
  if (!isEmpty) stream.end(request.body);
  if (signal.aborted) cancel();
  const wasAnswered = await ended;
  signal.removeEventListener('abort', cancel);
  const called = new Promise<void>((resolve) => {
    signal.addEventListener('abort', () => resolve(), { once: true });
    if (signal.aborted) resolve();
  });
  await Promise.race([Promise.all(pushed), called]);
  return wasAnswered;
}

/**
 * Sends a recorded request by HTTP/2 and reads the answer, and what is pushed with it, to the end. Resolves with why that failed;
 * undefined where it did not, or the signal aborted. Never rejects.
 */
export async function sendRecordedStream(sent: SentRequest): Promise<string | undefined> {
  const { protocol, ...place } = sent.place;
  let lost: string | undefined;
  let session: ClientHttp2Session | undefined;
  try {
    session = openSession({ ...place, isEncrypted: protocol === 'https' }, { enablePush: sent.request.takesPushes });
    session.on('error', ({ message }: Error) => {
      lost = message;
    });
    const wasAnswered = await send(session, sent);
    return wasAnswered || sent.signal.aborted ? undefined : lost;
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  } finally {
    session?.destroy();
  }
}
