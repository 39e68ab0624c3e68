import type { IncomingMessage, ServerResponse } from 'node:http';
import { constants, gzip } from 'node:zlib';
import { ReenactError, toReenactError } from '@reenact/trace-model';
import { API_PREFIX, type ApiError } from '@reenact/trace-model/collector-api';
import { acceptsGzip } from '../accepts-gzip.ts';
import type { Authorizer } from '../access/authorizer.ts';
import { credentialsOf } from '../access/credentials-of.ts';
import { DEFAULT_TENANT } from '../access/scopes.ts';
import { statusOf } from '../http-status.ts';
import type { Log } from '../logging/log.ts';
import type { RepeatedLog } from '../logging/repeated-log.ts';
import type { Answer, Answerer, StreamedAnswer } from './answer.ts';
import { PACKED_BYTES_MIN } from './limits.ts';

/** The questions of the query API by path; a path that ends in `/` takes an id after it. */
export type QuestionTable = ReadonlyMap<string, Answerer>;

/** What the router needs. */
export interface RouterOptions {
  readonly authorizer: Authorizer;
  readonly questions: QuestionTable;
  readonly log: Log;
  /** What the log is told of questions that were not answered: somebody may ask again and again, about health without a token. */
  readonly unanswered: RepeatedLog;
  /** How often an answer that goes on is judged again, milliseconds. */
  readonly accessCheckMs?: number;
}

const STREAM_ACCESS_CHECK_MS = 1_000;

/** Paths of the query API beside its prefix. */
export const HEALTH_PREFIX = '/health';

/** Answers a question of the query API, or says that there is no such path. */
export async function answerQuestion(
  options: RouterOptions,
  url: URL,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  request.resume();
  try {
    if (request.method !== 'GET' && request.method !== 'HEAD') {
      response.setHeader('allow', 'GET, HEAD');
      const error = new ReenactError('bad-request', `${request.method} is not allowed here, only GET and HEAD are.`, {
        next: 'Ask by GET, as `reenact docs api` says. Runs are deleted and kept by `reenact store`.',
      });
      return sendError(response, 405, error);
    }
    if (options.authorizer.isOpen && !isLocalName(request.headers.host)) throw foreignName(request.headers.host);
    const tenant = tenantOf(options, url.pathname, request);
    const { answerer, id } = findQuestion(options.questions, url.pathname);
    const lastEventId = request.headers['last-event-id'];
    const parameters = url.searchParams;
    const answer = await answerer({ tenant, id, parameters, lastEventId: textOf(lastEventId) });
    if (!('stream' in answer)) return send(response, answer);
    watchAccess(options, url.pathname, request, response, tenant);
    await stream(response, answer, request.method).catch((thrown) => tell(options, url, toReenactError(thrown)));
  } catch (thrown) {
    const error = toReenactError(thrown);
    const { status, headers } = statusOf(error);
    for (const [name, value] of Object.entries(headers)) response.setHeader(name, value);
    // Whoever runs the collector must hear of it, and not only whoever asked.
    if (error.code === 'store-failed' || error.code === 'internal') tell(options, url, error);
    sendError(response, status, error);
  }
}

/** Ends an answer that goes on, as a tail, soon after its token has gone, may read no more, or has come to another tenant. */
function watchAccess(
  options: RouterOptions,
  path: string,
  request: IncomingMessage,
  response: ServerResponse,
  tenant: string,
): void {
  if (response.closed || response.destroyed) return;
  const mayGoOn = (): boolean => {
    try {
      return tenantOf(options, path, request) === tenant;
    } catch {
      return false;
    }
  };
  const timer = setInterval(() => {
    if (!mayGoOn()) response.destroy();
  }, options.accessCheckMs ?? STREAM_ACCESS_CHECK_MS).unref();
  response.once('close', () => clearInterval(timer));
}

function tell({ log, unanswered }: RouterOptions, { pathname }: URL, error: ReenactError): void {
  const { code, message, next = '' } = error;
  const own = `${code} ${message}`;
  unanswered.tell(unanswered.hasRoomFor(own) ? own : code, 1, (count) =>
    log.error('question not answered', { path: pathname, count, message, next }),
  );
}

/** Who asks about health needs no token; everything else is a read. */
function tenantOf({ authorizer }: RouterOptions, path: string, request: IncomingMessage): string {
  if (path.startsWith(`${HEALTH_PREFIX}/`)) return DEFAULT_TENANT;
  return authorizer.authorize(credentialsOf(request.headers), 'read').tenant;
}

function findQuestion(questions: QuestionTable, path: string): { answerer: Answerer; id: string } {
  const exact = path.endsWith('/') ? undefined : questions.get(path);
  if (exact !== undefined) return { answerer: exact, id: '' };
  const slash = path.lastIndexOf('/') + 1;
  const answerer = questions.get(path.slice(0, slash));
  if (answerer !== undefined) return { answerer, id: decodeId(path.slice(slash)) };
  const known = [...questions.keys()].map((key) => (key.endsWith('/') ? `${key}{id}` : key));
  throw new ReenactError('not-found', `There is nothing at ${path}.`, {
    where: path,
    next: `Ask ${known.join(', ')}, or send OTLP to /v1/traces, /v1/logs, /v1/metrics.`,
  });
}

function decodeId(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

/**
 * A web page of another origin can point its own name at 127.0.0.1 and then read what is served there; the Host header
 * still carries that name. So where no token is wanted, only names of this machine are answered.
 */
function isLocalName(host: string | undefined): boolean {
  const name = (host ?? '').replace(/:\d+$/, '').toLowerCase();
  return name === 'localhost' || name === '[::1]' || /^127(\.\d{1,3}){3}$/.test(name);
}

function foreignName(host: string | undefined): ReenactError {
  return new ReenactError('bad-request', `The collector is not called "${host ?? ''}".`, {
    where: 'host',
    next: `Ask it as localhost or 127.0.0.1, for example http://127.0.0.1:4318${API_PREFIX}/runs.`,
  });
}

function sendError(response: ServerResponse, status: number, error: ReenactError): void {
  const { code, message, next } = error;
  const body: ApiError = { error: { code, message, ...(next === undefined ? {} : { next }) } };
  send(response, { status, body: JSON.stringify(body) });
}

function textOf(header: string | string[] | undefined): string | undefined {
  return Array.isArray(header) ? header.join(',') : header;
}

async function stream(response: ServerResponse, answer: StreamedAnswer, method = 'GET'): Promise<void> {
  if (response.destroyed || response.headersSent) return;
  if (method === 'HEAD') response.writeHead(200, { 'content-type': answer.contentType }).end();
  else await answer.stream(response);
}

/** The tree of a run of thousands of crossings is megabytes of names that repeat: packed it comes over a slow connection in a tenth of the time. */
function send(response: ServerResponse, { status, body }: Answer): void {
  if (response.destroyed || response.headersSent) return;
  response.statusCode = status;
  response.setHeader('content-type', 'application/json');
  response.setHeader('cache-control', 'no-store');
  response.setHeader('vary', 'accept-encoding');
  const bytes = Buffer.from(body);
  const { method, headers } = response.req;
  if (bytes.length < PACKED_BYTES_MIN || method === 'HEAD' || !acceptsGzip(headers)) {
    end(response, bytes);
    return;
  }
  gzip(bytes, { level: constants.Z_BEST_SPEED }, (error, packed) => {
    if (response.destroyed) return;
    if (error === null) response.setHeader('content-encoding', 'gzip');
    end(response, error === null ? packed : bytes);
  });
}

function end(response: ServerResponse, bytes: Buffer): void {
  response.setHeader('content-length', bytes.length);
  response.end(bytes);
}
