import type { IncomingHttpHeaders, ServerHttp2Stream } from 'node:http2';
import { tapIncomingBody } from '../incoming-body-tap.ts';
import { bodyOfBytes } from '../message-body.ts';
import type { InboundEvent, InboundHead } from './inbound-event.ts';
import { StreamAnswer } from './stream-answer.ts';
import { type WholeBody, wholeBody } from './whole-body.ts';

/** What a server tells of a new stream: its headers as an object and as they came. */
export interface StreamHeaders {
  readonly headers: IncomingHttpHeaders;
  /** Names and values in turn. */
  readonly rawHeaders: string[];
}

function headOf(stream: ServerHttp2Stream, { headers, rawHeaders }: StreamHeaders): InboundHead {
  const { session } = stream;
  return {
    method: headers[':method'] ?? 'GET',
    url: headers[':path'] ?? '/',
    headers,
    rawHeaders,
    scheme: session?.encrypted === true ? 'https' : 'http',
    httpVersion: '2',
    authority: headers[':authority'] ?? headers.host,
    localPort: session?.socket.localPort,
  };
}

/** Its answer done, a stream nobody has read would wait for a reader: what was read ahead of the listeners is let go. */
function letGoOnceAnswered(stream: ServerHttp2Stream): void {
  stream.once('finish', () => {
    if (stream.readableFlowing === null && !stream.readableEnded) stream.resume();
  });
}

async function bodyOfStream(stream: ServerHttp2Stream): Promise<WholeBody> {
  if (stream.endAfterHeaders) return { body: bodyOfBytes(Buffer.alloc(0)), end: () => undefined };
  const whole = wholeBody(stream);
  // Unlike a message of HTTP/1, a stream takes nothing off the wire before somebody asks for it.
  stream.read(0);
  letGoOnceAnswered(stream);
  return whole;
}

/** A request that came by HTTP/2: one stream, whichever of Node's two interfaces its listeners use. */
export function streamEvent(stream: ServerHttp2Stream, given: StreamHeaders, handle: () => boolean): InboundEvent {
  return {
    carrier: stream,
    head: headOf(stream, given),
    emitters: [stream],
    handle,
    watchBody: (tap) => {
      if (stream.endAfterHeaders) tap.ended();
      // The platform ends the body of a stream that was reset, too.
      else tapIncomingBody(stream, { ...tap, ended: () => stream.rstCode === 0 && tap.ended() });
    },
    wholeBody: () => bodyOfStream(stream),
    leave: () => stream.session?.destroy(),
    watchAnswer: (crossing, abandoned) =>
      new StreamAnswer(stream, given.headers[':path'] ?? '/', crossing, abandoned).watch(),
    respond: (status, headers, body) => {
      // Whoever asked may be gone already.
      stream.on('error', () => undefined);
      if (stream.destroyed || stream.closed) return;
      stream.respond({ ':status': status, ...headers }, { endStream: body === '' });
      if (body !== '') stream.end(body);
    },
  };
}
