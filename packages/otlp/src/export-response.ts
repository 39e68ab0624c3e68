import type { OtlpProblem } from './problem.ts';
import { decodeMessage, encodeMessage } from './protobuf-codec.ts';

/** What a receiver answers to an export: how many items it rejected and why. Nothing rejected is plain success. */
export interface ExportOutcome {
  /** How many spans, log records or data points were rejected. */
  readonly rejected: number;
  readonly message: string;
}

/** Which items an export response counts; names the field of the OTLP/JSON form. */
export type ExportSignal = 'traces' | 'logs' | 'metrics';

const REJECTED_MEMBER = {
  traces: 'rejectedSpans',
  logs: 'rejectedLogRecords',
  metrics: 'rejectedDataPoints',
} as const;

interface WireResponse {
  partialSuccess?: { rejected?: string; errorMessage?: string };
}

/** The protobuf export response; the three signals share one encoding. */
export function encodeExportResponse(outcome: ExportOutcome): Uint8Array {
  if (outcome.rejected === 0 && outcome.message === '') return new Uint8Array(0);
  const partialSuccess = { rejected: String(outcome.rejected), errorMessage: outcome.message };
  return encodeMessage('ExportResponse', { partialSuccess });
}

/** The OTLP/JSON export response. */
export function encodeExportResponseJson(signal: ExportSignal, outcome: ExportOutcome): string {
  // OTLP has the field left out where there is nothing to say.
  if (outcome.rejected === 0 && outcome.message === '') return '{}';
  const partialSuccess = { [REJECTED_MEMBER[signal]]: String(outcome.rejected), errorMessage: outcome.message };
  return JSON.stringify({ partialSuccess });
}

/** Reads a protobuf export response; undefined when the bytes are not one. */
export function decodeExportResponse(bytes: Uint8Array): ExportOutcome | undefined {
  const decoded = decodeMessage<WireResponse>('ExportResponse', bytes);
  if (!decoded.ok) return undefined;
  const { rejected = '0', errorMessage = '' } = decoded.value.partialSuccess ?? {};
  return { rejected: Number(rejected), message: errorMessage };
}

/** The body of an HTTP error and the details of a gRPC error: google.rpc.Status. */
export interface RpcStatus {
  /** google.rpc.Code */
  readonly code: number;
  readonly message: string;
  /** When given, a RetryInfo detail tells the sender to try again after this many milliseconds. */
  readonly retryDelayMs?: number;
}

const RETRY_INFO_TYPE = 'type.googleapis.com/google.rpc.RetryInfo';

interface WireStatus {
  code?: number;
  message?: string;
  details?: { typeUrl?: string; value?: string }[];
}

interface WireRetryInfo {
  retryDelay?: { seconds?: string; nanos?: number };
}

/** The protobuf form of a google.rpc.Status. */
export function encodeRpcStatus(status: RpcStatus): Uint8Array {
  const { code, message, retryDelayMs } = status;
  if (retryDelayMs === undefined) return encodeMessage('RpcStatus', { code, message });
  const retryDelay = { seconds: String(Math.floor(retryDelayMs / 1000)), nanos: (retryDelayMs % 1000) * 1_000_000 };
  const value = Buffer.from(encodeMessage('RetryInfo', { retryDelay })).toString('base64');
  return encodeMessage('RpcStatus', { code, message, details: [{ typeUrl: RETRY_INFO_TYPE, value }] });
}

/** The JSON form of a google.rpc.Status. */
export function encodeRpcStatusJson(status: RpcStatus): string {
  const { code, message, retryDelayMs } = status;
  if (retryDelayMs === undefined) return JSON.stringify({ code, message });
  return JSON.stringify({
    code,
    message,
    details: [{ '@type': RETRY_INFO_TYPE, retryDelay: `${retryDelayMs / 1000}s` }],
  });
}

/** Reads the protobuf form of a google.rpc.Status, or says why the bytes are not one. */
export function decodeRpcStatus(
  bytes: Uint8Array,
): { ok: true; status: RpcStatus } | { ok: false; problem: OtlpProblem } {
  const decoded = decodeMessage<WireStatus>('RpcStatus', bytes);
  if (!decoded.ok) return decoded;
  const { code = 0, message = '', details = [] } = decoded.value;
  const retryInfo = details.find(({ typeUrl }) => typeUrl === RETRY_INFO_TYPE);
  if (retryInfo === undefined) return { ok: true, status: { code, message } };
  const info = decodeMessage<WireRetryInfo>('RetryInfo', Buffer.from(retryInfo.value ?? '', 'base64'));
  const { seconds = '0', nanos = 0 } = (info.ok ? info.value.retryDelay : undefined) ?? {};
  return { ok: true, status: { code, message, retryDelayMs: Number(seconds) * 1000 + nanos / 1_000_000 } };
}
