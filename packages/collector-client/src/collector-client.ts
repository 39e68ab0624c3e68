import { decodeLogsJson, decodeTracesJson, type LogsData, type TracesData } from '@reenact/otlp';
import { ERROR_CODES, type ErrorCode, ReenactError } from '@reenact/trace-model';
import {
  API_PREFIX,
  apiErrorSchema,
  type RunList,
  type RunQuery,
  runListSchema,
} from '@reenact/trace-model/collector-api';
import { ANSWER_TIMEOUT_MS } from './limits.ts';

/** Where and how a client asks. */
export interface CollectorClientOptions {
  /** Address of the collector's HTTP port, `http://127.0.0.1:4318`. */
  readonly url: string;
  /** How long one answer may take. Default 30 seconds. */
  readonly timeoutMs?: number;
  /** Sent as a bearer token, where the collector wants one. */
  readonly token?: string | undefined;
  readonly fetch?: typeof globalThis.fetch;
}

/**
 * Typed reads from a collector. Every method throws ReenactError `collector-unreachable`, `collector-refused`, `not-found`,
 * `unauthenticated` or `access-denied`.
 */
export interface CollectorClient {
  /** The whole recording a trace id or any span id of it leads to. */
  getRecording(id: string): Promise<TracesData>;
  /** The log records of the trace that a trace id or any span id of it leads to; none is an empty document. */
  getLogs(id: string): Promise<LogsData>;
  listRuns(query?: RunQuery): Promise<RunList>;
  /** The collector's own counters, as it names them. */
  stats(): Promise<Record<string, unknown>>;
  /** Whether it takes and serves telemetry now. */
  isReady(): Promise<boolean>;
}

function unreachable(url: string, cause: unknown): ReenactError {
  const isTimeout = cause instanceof Error && cause.name === 'TimeoutError';
  return new ReenactError(
    'collector-unreachable',
    isTimeout ? 'The collector did not answer in time.' : "Nothing answers at the collector's address.",
    {
      where: url,
      next: 'Start one with `reenact collect`, name another with --collector or REENACT_COLLECTOR, or give an exported fixture file instead of an id.',
      retryable: true,
      cause,
    },
  );
}

function knownCode(code: string): ErrorCode {
  return ERROR_CODES.find((known) => known === code) ?? 'collector-refused';
}

class HttpCollectorClient implements CollectorClient {
  private readonly base: string;
  private readonly timeoutMs: number;
  private readonly headers: Readonly<Record<string, string>>;
  private readonly fetch: typeof globalThis.fetch;

  constructor({ url, timeoutMs = ANSWER_TIMEOUT_MS, token, fetch = globalThis.fetch }: CollectorClientOptions) {
    if (!URL.canParse(url) || !/^https?:/.test(url)) {
      throw new ReenactError('bad-argument', `"${url}" is not the address of a collector.`, {
        where: url,
        next: 'Write it as http://127.0.0.1:4318.',
      });
    }
    this.base = url.replace(/\/+$/, '');
    this.timeoutMs = timeoutMs;
    this.headers = token === undefined || token === '' ? {} : { authorization: `Bearer ${token}` };
    this.fetch = fetch;
  }

  private async get(path: string): Promise<{ status: number; text: string }> {
    try {
      const signal = AbortSignal.timeout(this.timeoutMs);
      const response = await this.fetch(`${this.base}${path}`, { headers: this.headers, signal });
      return { status: response.status, text: await response.text() };
    } catch (cause) {
      throw unreachable(this.base, cause);
    }
  }

  private async getText(path: string): Promise<string> {
    const { status, text } = await this.get(path);
    if (status >= 200 && status < 300) return text;
    throw this.refusal(path, status, text);
  }

  private refusal(path: string, status: number, text: string): ReenactError {
    const parsed = apiErrorSchema.safeParse(parseJson(text));
    if (!parsed.success) {
      return new ReenactError(
        'collector-refused',
        `${this.base} answered HTTP ${status}, which no Reenact collector does.`,
        {
          where: path,
          next: 'Check that this address is a Reenact collector (`reenact collect`) and not another OTLP receiver.',
        },
      );
    }
    const { code, message, next } = parsed.data.error;
    return new ReenactError(knownCode(code), message, {
      where: this.base,
      ...(next === undefined ? {} : { next }),
      retryable: status === 429 || status === 503,
    });
  }

  private malformed(path: string, detail: string): ReenactError {
    return new ReenactError('collector-refused', `The collector's answer cannot be read: ${detail}`, {
      where: `${this.base}${path}`,
      next: 'Check that this address is a Reenact collector of the same version.',
    });
  }

  async getRecording(id: string): Promise<TracesData> {
    const path = `${API_PREFIX}/recordings/${encodeURIComponent(id)}`;
    const decoded = decodeTracesJson(await this.getText(path));
    if (!decoded.ok) throw this.malformed(path, decoded.problem.message);
    return decoded.data;
  }

  async getLogs(id: string): Promise<LogsData> {
    const path = `${API_PREFIX}/logs/${encodeURIComponent(id)}`;
    const decoded = decodeLogsJson(await this.getText(path));
    if (!decoded.ok) throw this.malformed(path, decoded.problem.message);
    return decoded.data;
  }

  async listRuns(query: RunQuery = {}): Promise<RunList> {
    const parameters = new URLSearchParams();
    for (const [key, value] of Object.entries(query)) if (value !== undefined) parameters.set(key, String(value));
    const path = `${API_PREFIX}/runs${parameters.size === 0 ? '' : `?${parameters.toString()}`}`;
    const parsed = runListSchema.safeParse(parseJson(await this.getText(path)));
    if (!parsed.success) throw this.malformed(path, parsed.error.issues[0]?.message ?? 'not a list of runs');
    return parsed.data;
  }

  async stats(): Promise<Record<string, unknown>> {
    const path = `${API_PREFIX}/stats`;
    const parsed = parseJson(await this.getText(path));
    if (typeof parsed !== 'object' || parsed === null) throw this.malformed(path, 'not an object');
    return parsed as Record<string, unknown>;
  }

  async isReady(): Promise<boolean> {
    const { status } = await this.get('/health/ready');
    return status === 200;
  }
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Makes a client. Throws ReenactError `bad-argument` where the address is none; connects to nothing yet. */
export function createCollectorClient(options: CollectorClientOptions): CollectorClient {
  return new HttpCollectorClient(options);
}
