import {
  API_OPERATIONS,
  API_PREFIX,
  type ApiOperationId,
  apiErrorSchema,
  writeParameters,
} from '@reenact/trace-model/collector-api';
import { ERROR_CODES, type ErrorCode, isReenactError, ReenactError } from '@reenact/trace-model/reenact-error';
import type { z } from 'zod';
import { GrowingBytes } from './growing-bytes.ts';
import { ANSWER_TIMEOUT_MS } from './limits.ts';
import { piecesOf } from './pieces-of.ts';
import { SilenceTimer } from './silence-timer.ts';
import { unreachable } from './unreachable.ts';

/** Where and how a collector is asked. */
export interface ConnectionOptions {
  /** Address of the collector's HTTP port, `http://127.0.0.1:4318`. */
  readonly url: string;
  /** How long nothing of an answer may come. Default 30 seconds. */
  readonly timeoutMs?: number;
  /** Sent as a bearer token, where the collector wants one. */
  readonly token?: string | undefined;
  /** Whose recordings are asked for, where the token may name other tenants than its own. */
  readonly tenant?: string | undefined;
  /** The platform's, where nothing is said. */
  readonly fetch?: typeof globalThis.fetch | undefined;
}

/** What the answer to an operation holds. */
export type AnswerOf<Id extends ApiOperationId> = z.output<(typeof API_OPERATIONS)[Id]['answer']>;

/** Parameters of an operation. */
export type ParametersOf<Id extends ApiOperationId> = z.output<(typeof API_OPERATIONS)[Id]['parameters']>;

/** What a collector that is busy answers, and a proxy in front of one that is away for a moment. */
const TEMPORARY_STATUSES: ReadonlySet<number> = new Set([429, 502, 503, 504]);

/** Names the tenant that a request is for. */
const TENANT_HEADER = 'x-scope-orgid';

function tooLong(url: string, cause: unknown): ReenactError {
  return new ReenactError('too-large', 'The answer of the collector is longer than a text may be here.', {
    where: url,
    next: 'Save it as it comes, which has no limit: curl -o recording.json <collector>/api/v1/recordings/<id>.',
    cause,
  });
}

function failed(url: string, cause: unknown): ReenactError {
  const isTooLong = cause instanceof Error && Reflect.get(cause, 'code') === 'ERR_STRING_TOO_LONG';
  return isTooLong ? tooLong(url, cause) : unreachable(url, cause);
}

/** Whether an address is of this machine: what comes from there comes faster than it can be packed and unpacked. */
function isOfThisMachine(url: string): boolean {
  return /^(localhost|\[::1\]|127(\.\d{1,3}){3})$/.test(new URL(url).hostname);
}

function knownCode(code: string): ErrorCode {
  return ERROR_CODES.find((known) => known === code) ?? 'collector-refused';
}

function beyond(url: string, bytesMax: number): ReenactError {
  return new ReenactError('too-large', `The answer of the collector has more than ${bytesMax} bytes.`, {
    where: url,
    next: 'Ask for the tree of the run, or for one span at a time.',
  });
}

/** Reads an answer, of which no more is taken than so many bytes. */
class AnswerReader {
  private readonly url: string;
  private readonly bytesMax: number;

  constructor(url: string, bytesMax: number) {
    this.url = url;
    this.bytesMax = bytesMax;
  }

  /** A large recording takes as long as it takes: each piece of it says that the rest is on its way. */
  async read(response: Response, onPiece: () => void): Promise<Uint8Array<ArrayBuffer>> {
    const bytes = new GrowingBytes();
    // What is left of an answer that nobody reads to its end is not sent.
    for await (const piece of piecesOf(response)) {
      if (bytes.length + piece.length > this.bytesMax) throw beyond(this.url, this.bytesMax);
      bytes.add(piece);
      onPiece();
    }
    return bytes.whole;
  }
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Asks one collector over HTTP and says what went wrong. */
export class ApiConnection {
  private readonly base: string;
  private readonly timeoutMs: number;
  private readonly headers: Readonly<Record<string, string>>;
  private readonly fetch: typeof globalThis.fetch;

  /** Throws ReenactError `bad-argument` where the address is none; connects to nothing yet. */
  constructor({ url, timeoutMs = ANSWER_TIMEOUT_MS, token, tenant, fetch }: ConnectionOptions) {
    if (!/^https?:/.test(url) || [undefined, '0'].includes(URL.parse(url)?.port)) {
      throw new ReenactError('bad-argument', `"${url}" is not the address of a collector.`, {
        where: url,
        next: 'Write it as http://127.0.0.1:4318.',
      });
    }
    this.base = url.replace(/\/+$/, '');
    this.timeoutMs = timeoutMs;
    this.headers = {
      ...(isOfThisMachine(url) ? { 'accept-encoding': 'identity' } : {}),
      ...(token === undefined || token === '' ? {} : { authorization: `Bearer ${token}` }),
      ...(tenant === undefined || tenant === '' ? {} : { [TENANT_HEADER]: tenant }),
    };
    // A browser's refuses to be called as a method of anything but its window.
    this.fetch = fetch ?? globalThis.fetch.bind(globalThis);
  }

  /** The status of an answer and its text. Throws ReenactError `collector-unreachable`, `too-large`. */
  async get(path: string): Promise<{ status: number; text: string }> {
    const { status, bytes } = await this.fetchBytes(path);
    return { status, text: this.decode(bytes) };
  }

  /** Path of an operation, with its id and parameters. */
  pathOf<Id extends ApiOperationId>(operation: Id, parameters: ParametersOf<Id>, id = ''): string {
    const written = writeParameters(parameters);
    const query = written.size === 0 ? '' : `?${written.toString()}`;
    return `${API_PREFIX}${API_OPERATIONS[operation].path}${encodeURIComponent(id)}${query}`;
  }

  /** The text of an answer. Throws ReenactError: what the collector says, or that it is none. */
  async getText(path: string): Promise<string> {
    const { status, text } = await this.get(path);
    if (status >= 200 && status < 300) return text;
    throw this.refusal(path, status, text);
  }

  /** The bytes of an answer, which may be longer than a text. Throws as `getText` does, and `too-large` where it has more than so many bytes. */
  async getBytes(path: string, bytesMax?: number): Promise<Uint8Array<ArrayBuffer>> {
    const { status, bytes } = await this.fetchBytes(path, bytesMax);
    if (status >= 200 && status < 300) return bytes;
    throw this.refusal(path, status, this.decode(bytes));
  }

  /** Asks an operation whose answer is a JSON document, and checks the answer. Throws ReenactError. */
  async ask<Id extends ApiOperationId>(
    operation: Id,
    parameters: ParametersOf<Id>,
    id?: string,
  ): Promise<AnswerOf<Id>> {
    const path = this.pathOf(operation, parameters, id);
    const parsed = API_OPERATIONS[operation].answer.safeParse(parseJson(await this.getText(path)));
    if (parsed.success) return parsed.data as AnswerOf<Id>;
    const [issue] = parsed.error.issues;
    throw this.malformed(path, `${issue?.message ?? 'it is not what was asked for'} at ${issue?.path.join('.') ?? ''}`);
  }

  /** Opens an answer that goes on. Throws ReenactError; the reader ends it with the signal. */
  async open(path: string, headers: Readonly<Record<string, string>>, signal: AbortSignal): Promise<Response> {
    let response: Response;
    try {
      // Firefox has a request wait while another of the same address is still answered, as that of another window is, unless it is of no use to its cache.
      const options = { headers: { ...this.headers, ...headers }, signal, cache: 'no-store' } as const;
      response = await this.fetch(`${this.base}${path}`, options);
    } catch (cause) {
      throw failed(this.base, cause);
    }
    if (response.ok && response.headers.get('content-type')?.startsWith('text/event-stream') === true) return response;
    throw this.refusal(path, response.status, await response.text());
  }

  /** Says that an answer cannot be read. */
  malformed(path: string, detail: string): ReenactError {
    return new ReenactError('collector-refused', `The collector's answer cannot be read: ${detail}`, {
      where: `${this.base}${path}`,
      next: 'Check that this address is a Reenact collector of the same version.',
    });
  }

  private async fetchBytes(
    path: string,
    bytesMax = Number.POSITIVE_INFINITY,
  ): Promise<{ status: number; bytes: Uint8Array<ArrayBuffer> }> {
    const ending = new AbortController();
    const silence = new SilenceTimer(this.timeoutMs, () =>
      ending.abort(new DOMException('Nothing came.', 'TimeoutError')),
    );
    try {
      const response = await this.fetch(`${this.base}${path}`, { headers: this.headers, signal: ending.signal });
      const reader = new AnswerReader(this.base, bytesMax);
      return { status: response.status, bytes: await reader.read(response, () => silence.restart()) };
    } catch (cause) {
      if (isReenactError(cause)) throw cause;
      throw failed(this.base, cause);
    } finally {
      silence.stop();
    }
  }

  private decode(bytes: Uint8Array): string {
    try {
      return new TextDecoder().decode(bytes);
    } catch (cause) {
      throw failed(this.base, cause);
    }
  }

  private refusal(path: string, status: number, text: string): ReenactError {
    const parsed = apiErrorSchema.safeParse(parseJson(text));
    const retryable = TEMPORARY_STATUSES.has(status);
    if (!parsed.success) {
      return new ReenactError(
        'collector-refused',
        `${this.base} answered HTTP ${status} with what no Reenact collector says.`,
        {
          where: path,
          next: retryable
            ? 'A proxy answered for the collector: look whether the collector runs, and whether the proxy reaches it.'
            : 'Check that this address is a Reenact collector (`reenact collect`) and not another OTLP receiver.',
          retryable,
        },
      );
    }
    const { code, message, next } = parsed.data.error;
    return new ReenactError(knownCode(code), message, {
      where: this.base,
      ...(next === undefined ? {} : { next }),
      retryable,
    });
  }
}
