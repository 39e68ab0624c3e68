import {
  checkMetricsJsonInSteps,
  checkMetricsProtobuf,
  describeRejections,
  type ExportOutcome,
  type ExportSignal,
  type OtlpProblem,
  type SlicedLogs,
  type SlicedTraces,
  type SliceFormat,
  walkLogsJsonInSteps,
  walkLogsProtobuf,
  walkTracesJsonInSteps,
  walkTracesProtobuf,
} from '@reenact/otlp';
import { ReenactError } from '@reenact/trace-model';
import type { ReceivedCounters } from '../counters.ts';
import { whyNotForwarded } from '../passed-collectors.ts';
import type { Refusals } from '../refusals.ts';
import type { AppendResult, Destinations, PassedCollectors, Store } from '../store/store.ts';
import { RANKING_KEYS } from '../store/to-frame.ts';
import type { Latency } from '../telemetry/latency.ts';
import { inTurns } from './in-turns.ts';

/** What an ingest needs. */
export interface IngestOptions {
  readonly store: Store;
  readonly counters: ReceivedCounters;
  readonly refusals: Refusals;
  readonly destinations: Destinations;
  /** Names this collector in what it sends on. */
  readonly collectorId: string;
  /** Counts how long acknowledgements took. */
  readonly acknowledged: Latency;
  /** Called after something new became durable. */
  readonly onStored: (signal: ExportSignal) => void;
}

/** One export request, whatever it came over. */
export interface IngestRequest {
  readonly tenant: string;
  readonly signal: ExportSignal;
  readonly format: SliceFormat;
  readonly body: Uint8Array;
  readonly passed: PassedCollectors;
}

/**
 * Takes one export request of any transport. Resolves when everything accepted is durable; rejects with ReenactError
 * `bad-request` when the request can never be read, and with the store's retryable error otherwise.
 */
export type Ingest = (request: IngestRequest) => Promise<ExportOutcome>;

const KEYS_AT_HAND: ReadonlySet<string> = new Set(RANKING_KEYS);

const ACCEPTED: ExportOutcome = { rejected: 0, message: '' };

/** The one way from a request's bytes into the store, shared by all receivers. */
export function createIngest(options: IngestOptions): Ingest {
  return async (request) => {
    options.counters.requests += 1;
    options.counters.bytes += request.body.length;
    const startedMs = performance.now();
    const outcome = await ingestSignal(options, request);
    options.acknowledged.add(performance.now() - startedMs);
    return outcome;
  };
}

function ingestSignal(options: IngestOptions, request: IngestRequest): ExportOutcome | Promise<ExportOutcome> {
  switch (request.signal) {
    case 'traces':
      return ingestTraces(options, request);
    case 'logs':
      return ingestLogs(options, request);
    case 'metrics':
      return ingestMetrics(options, request);
  }
}

/** Where these items are sent on to: nowhere, where they have been here before, or have come too far. */
function destinationsFor(
  { destinations, collectorId, refusals }: IngestOptions,
  { signal, passed }: IngestRequest,
  count: number,
): Destinations {
  if (destinations.length === 0 || count === 0) return [];
  const reason = whyNotForwarded(passed, collectorId);
  if (reason === undefined) return destinations;
  refusals.notForwarded(reason, signal, count);
  return [];
}

/** What was cut is let go of before it is waited for: kept until the answer, it would be copied by one collection of garbage after the other. */
function ingestTraces(options: IngestOptions, request: IngestRequest): ExportOutcome | Promise<ExportOutcome> {
  const { format, body } = request;
  const walked = format === 'protobuf' ? walkTracesProtobuf(body) : inTurns(walkTracesJsonInSteps(body, KEYS_AT_HAND));
  if (walked instanceof Promise) return walked.then((sliced) => takeTraces(options, request, sliced));
  return takeTraces(options, request, walked);
}

function takeTraces(
  options: IngestOptions,
  request: IngestRequest,
  walked: SlicedTraces,
): ExportOutcome | Promise<ExportOutcome> {
  const { tenant, format, passed } = request;
  if (!walked.ok) throw malformed('traces', format, walked.problem);
  options.counters.spans += walked.spans.length + walked.rejected.count;
  options.refusals.rejected(tenant, 'traces', walked.rejected);
  const outcome = { rejected: walked.rejected.count, message: describeRejections(walked.rejected, 'span') };
  if (walked.spans.length === 0) return outcome;
  const destinations = destinationsFor(options, request, walked.spans.length);
  return recordStored(
    options,
    'traces',
    options.store.appendSpans(tenant, walked.spans, destinations, passed),
    outcome,
  );
}

function ingestLogs(options: IngestOptions, request: IngestRequest): ExportOutcome | Promise<ExportOutcome> {
  const { format, body } = request;
  const walked = format === 'protobuf' ? walkLogsProtobuf(body) : inTurns(walkLogsJsonInSteps(body));
  if (walked instanceof Promise) return walked.then((sliced) => takeLogs(options, request, sliced));
  return takeLogs(options, request, walked);
}

function takeLogs(
  options: IngestOptions,
  request: IngestRequest,
  walked: SlicedLogs,
): ExportOutcome | Promise<ExportOutcome> {
  const { tenant, format, passed } = request;
  if (!walked.ok) throw malformed('logs', format, walked.problem);
  options.counters.logRecords += walked.records.length + walked.rejected.count;
  options.refusals.rejected(tenant, 'logs', walked.rejected);
  const outcome = { rejected: walked.rejected.count, message: describeRejections(walked.rejected, 'log record') };
  if (walked.records.length === 0) return outcome;
  const destinations = destinationsFor(options, request, walked.records.length);
  return recordStored(options, 'logs', options.store.appendLogs(tenant, walked.records, destinations, passed), outcome);
}

/**
 * Metrics are not kept: they are queued for the forwarders, and where there is none, acknowledged and discarded. A bad one costs the whole
 * request, which no destination would take either.
 */
async function ingestMetrics(options: IngestOptions, request: IngestRequest) {
  const { tenant, format, body, passed } = request;
  const problem = format === 'protobuf' ? checkMetricsProtobuf(body) : await inTurns(checkMetricsJsonInSteps(body));
  if (problem !== undefined) throw malformed('metrics', format, problem);
  options.counters.metricRequests += 1;
  const destinations = destinationsFor(options, request, 1);
  if (destinations.length === 0) {
    options.counters.discardedMetricRequests += 1;
    return ACCEPTED;
  }
  const { metricsGone } = await options.store.appendMetrics(tenant, { format, bytes: body }, destinations, passed);
  if (metricsGone !== undefined) options.refusals.metricsGone(metricsGone);
  options.onStored('metrics');
  return ACCEPTED;
}

async function recordStored(
  options: IngestOptions,
  signal: ExportSignal,
  storing: Promise<AppendResult>,
  outcome: ExportOutcome,
): Promise<ExportOutcome> {
  const { stored, deduplicated, versions } = await storing;
  options.counters.stored += stored;
  options.counters.deduplicated += deduplicated;
  options.counters.versions += versions;
  if (stored > 0) options.onStored(signal);
  return outcome;
}

function malformed(signal: ExportSignal, format: SliceFormat, problem: OtlpProblem): ReenactError {
  const name = format === 'protobuf' ? 'protobuf' : 'JSON';
  return new ReenactError('bad-request', `This is not an OTLP ${signal} request in ${name}: ${problem.message}.`, {
    next: 'Check that the exporter speaks OTLP 1.x and that its content type matches what it sends.',
  });
}
