import { decodeLogsJson, decodeTracesJsonBytes, type LogsData, type TracesData } from '@reenact/otlp';
import type { SpanQuery } from '@reenact/trace-model/collector-api';
import type { ConnectionOptions } from './api-connection.ts';
import { type CollectorQuestions, HttpCollectorQuestions } from './collector-questions.ts';
import { type ClientTls, tlsFetch } from './tls-fetch.ts';

/** Where and how a client asks. */
export interface CollectorClientOptions extends ConnectionOptions {
  /** What is trusted and shown where the address is `https:`; else what the process trusts, and no certificate. */
  readonly tls?: ClientTls | undefined;
}

/** Typed reads from a collector, recordings included. Every method throws as those of `CollectorQuestions` do. */
export interface CollectorClient extends CollectorQuestions {
  /** The whole recording a trace id or any span id of it leads to. Throws `too-large` where it takes more than so many bytes. */
  getRecording(id: string, bytesMax?: number): Promise<TracesData>;
  /** One span with all that was said in it, by its span id. */
  getSpan(spanId: string, query?: SpanQuery): Promise<TracesData>;
  /** The log records of the trace that a trace id or any span id of it leads to; none is an empty document. */
  getLogs(id: string): Promise<LogsData>;
}

class HttpCollectorClient extends HttpCollectorQuestions implements CollectorClient {
  getRecording(id: string, bytesMax?: number): Promise<TracesData> {
    return this.getTraces(this.connection.pathOf('getRecording', {}, id), bytesMax);
  }

  getSpan(spanId: string, query: SpanQuery = {}): Promise<TracesData> {
    return this.getTraces(this.connection.pathOf('getSpan', query, spanId));
  }

  async getLogs(id: string): Promise<LogsData> {
    const path = this.connection.pathOf('getLogs', {}, id);
    const decoded = decodeLogsJson(await this.connection.getText(path));
    if (!decoded.ok) throw this.connection.malformed(path, decoded.problem.message);
    return decoded.data;
  }

  private async getTraces(path: string, bytesMax?: number): Promise<TracesData> {
    const bytes = await this.connection.getBytes(path, bytesMax);
    const decoded = decodeTracesJsonBytes(bytes);
    // Its spans are read: what they were read from is as large as they are.
    bytes.buffer.transfer(0);
    if (!decoded.ok) throw this.connection.malformed(path, decoded.problem.message);
    return decoded.data;
  }
}

/** Makes a client. Throws ReenactError `bad-argument` where the address is none; connects to nothing yet. */
export function createCollectorClient({ tls, ...options }: CollectorClientOptions): CollectorClient {
  const fetch = options.fetch ?? (tls === undefined ? undefined : tlsFetch(tls));
  return new HttpCollectorClient({ ...options, fetch });
}
