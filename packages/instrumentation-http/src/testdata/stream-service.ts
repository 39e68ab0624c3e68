import { once } from 'node:events';
import http2, {
  type ClientHttp2Session,
  type ClientHttp2Stream,
  type Http2Server,
  type IncomingHttpHeaders,
  type ServerHttp2Stream,
} from 'node:http2';
import type { AddressInfo } from 'node:net';
import { errorFacts } from './http-suite.ts';

/** A service of the process under test that speaks HTTP/2, on a free port. */
export interface StreamService {
  readonly url: string;
  /** What its streams and sessions complained about. */
  readonly errors: unknown[];
  stop(): Promise<void>;
}

/** Starts a server as an app does, and stops it with all its sessions. */
export async function startStreamService(server: Http2Server): Promise<StreamService> {
  const sessions = new Set<{ destroy(): void }>();
  const errors: unknown[] = [];
  server.on('session', (session) => {
    sessions.add(session);
    session.on('error', (error: Error) => errors.push(errorFacts(error)));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    errors,
    stop: async () => {
      for (const session of sessions) session.destroy();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

/** One request of a client, and what it does besides sending it. */
export interface StreamExchange {
  readonly headers?: IncomingHttpHeaders;
  readonly body?: string;
  /** Told with every chunk that came. */
  readonly act?: (stream: ClientHttp2Stream) => void;
}

const withoutDate = (headers: object): unknown => ({ ...headers, date: undefined });

/** Everything a client sees of one request, until it has closed. */
async function streamSees(session: ClientHttp2Session, exchange: StreamExchange): Promise<unknown[]> {
  const { headers = {}, body, act } = exchange;
  const stream = session.request(headers, { endStream: body === undefined });
  const log: unknown[] = [];
  let bytes = '';
  stream.on('headers', (given) => log.push(['headers', withoutDate(given)]));
  stream.on('response', (given) => log.push(['response', withoutDate(given)]));
  stream.on('trailers', (given) => log.push(['trailers', { ...given }]));
  stream.on('end', () => log.push(['end', bytes]));
  stream.on('error', (error) => log.push(['error', errorFacts(error)]));
  stream.on('data', (chunk: Buffer) => {
    bytes += chunk.toString('latin1');
    act?.(stream);
  });
  if (body !== undefined) stream.end(body);
  await once(stream, 'close').catch(() => undefined);
  return [...log, stream.rstCode];
}

/** What came along that nobody asked for. */
async function pushSees(stream: ClientHttp2Stream, headers: IncomingHttpHeaders): Promise<unknown> {
  let body = '';
  let status: unknown;
  stream.on('push', (given) => {
    status = given[':status'];
  });
  stream.on('data', (chunk: Buffer) => {
    body += chunk.toString();
  });
  stream.on('error', () => undefined);
  await once(stream, 'close');
  return [headers[':path'], status, body];
}

/** Everything a client sees that makes requests over one session, one after the other. */
export async function clientStreams(url: string, exchanges: readonly StreamExchange[]): Promise<unknown[]> {
  const session = http2.connect(url);
  session.on('error', () => undefined);
  const pushes: Promise<unknown>[] = [];
  session.on('stream', (stream: ClientHttp2Stream, headers: IncomingHttpHeaders) =>
    pushes.push(pushSees(stream, headers)),
  );
  const seen: unknown[] = [];
  for (const exchange of exchanges) seen.push(await streamSees(session, exchange));
  seen.push(await Promise.all(pushes));
  session.destroy();
  return seen;
}

/** Answers with the core interface of the platform. */
export type StreamListener = (stream: ServerHttp2Stream, headers: IncomingHttpHeaders) => void;
