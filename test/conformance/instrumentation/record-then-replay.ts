import { context, SpanStatusCode, trace } from '@opentelemetry/api';
import { AsyncLocalStorageContextManager } from '@opentelemetry/context-async-hooks';
import { JsonTraceSerializer } from '@opentelemetry/otlp-transformer';
import { InMemorySpanExporter, NodeTracerProvider, type ReadableSpan } from '@opentelemetry/sdk-trace-node';
import { assembleRecording } from '@reenact/dialects';
import { agent, gate, installDrawRecording, RecordingProcessor } from '@reenact/instrumentation';
import { decodeTracesJson } from '@reenact/otlp';
import { type PlanOptions, type ReplayResult, replay } from '@reenact/replay';
import {
  ATTR_REENACT_OUTCOME,
  ATTR_REENACT_SCHEMA,
  REENACT_OUTCOME_VALUE_PENDING as PENDING,
} from '@reenact/semconv/reenact';
import type { Crossing, Recording } from '@reenact/trace-model';
import type { Peer } from './fidelity-library.ts';

/** How many turns of the event loop a crossing may take to end after the agent has its result. */
const TURNS_MAX = 2_000;

/** What one act gave when it was recorded, and what it gave when it was replayed. */
export interface BothRuns {
  readonly recorded: unknown;
  readonly recording: Recording;
  readonly report: ReplayResult<unknown>;
  /** Whatever reached the peer during the replay. */
  readonly contactsInReplay: number;
}

/** A host with the real SDK and the recording processor, and nothing else. */
export class FidelityHost {
  private readonly exporter = new InMemorySpanExporter();
  private readonly processor = new RecordingProcessor(this.exporter);
  private readonly provider = new NodeTracerProvider({ spanProcessors: [this.processor] });

  constructor() {
    context.setGlobalContextManager(new AsyncLocalStorageContextManager().enable());
    trace.setGlobalTracerProvider(this.provider);
  }

  private async spans(): Promise<ReadableSpan[]> {
    for (let turn = 0; gate.hasOpenCrossings() && turn < TURNS_MAX; turn += 1) {
      await new Promise((resolve) => setImmediate(resolve));
    }
    await this.processor.forceFlush();
    return [...this.exporter.getFinishedSpans(), ...this.processor.pending()];
  }

  /** Names of the crossings recorded so far; spans of other instrumentations are none. */
  async crossingNames(): Promise<string[]> {
    const spans = await this.spans();
    return spans.filter(({ attributes }) => attributes[ATTR_REENACT_SCHEMA] !== undefined).map(({ name }) => name);
  }

  /** What has been recorded so far, one recording for each trace. */
  async recordings(): Promise<Recording[]> {
    const traceIds = new Set((await this.spans()).map((span) => span.spanContext().traceId));
    const recordings = await Promise.all(Array.from(traceIds, (traceId) => this.recording(traceId)));
    return recordings.filter((recording) => recording !== undefined);
  }

  /** Names of the crossings that have ended, in alphabetical order. */
  async endedCrossings(): Promise<string[]> {
    await this.processor.forceFlush();
    return this.exporter
      .getFinishedSpans()
      .filter(({ attributes }) => attributes[ATTR_REENACT_OUTCOME] !== PENDING)
      .map(({ name }) => name)
      .sort();
  }

  /** Names of the ended spans that say they failed, in alphabetical order. */
  failedSpans(): string[] {
    const failed = this.exporter.getFinishedSpans().filter(({ status }) => status.code === SpanStatusCode.ERROR);
    return failed.map(({ name }) => name).sort();
  }

  /** What has been recorded so far, through OTLP/JSON and back as a fixture would be; undefined where that is nothing. */
  async recording(traceId: string | undefined): Promise<Recording | undefined> {
    // What an earlier run left open may end now, in a trace of its own.
    const spans = (await this.spans()).filter((span) => span.spanContext().traceId === traceId);
    if (spans.length === 0) return undefined;
    const decoded = decodeTracesJson(Buffer.from(JsonTraceSerializer.serializeRequest(spans) ?? []).toString('utf8'));
    if (!decoded.ok) throw new TypeError(`The recording is no OTLP: ${JSON.stringify(decoded.problem)}`);
    return assembleRecording(decoded.data);
  }

  /** Leaves no trace in the process. */
  async stop(): Promise<void> {
    await this.provider.shutdown();
    gate.configure({ recorder: undefined, tracerProvider: undefined, rootContext: undefined });
    trace.disable();
    context.disable();
  }
}

/** How an act is recorded. */
export interface RecordThenReplayOptions {
  /** Whether clock reads, random values and timers are recorded, as under the register hook. Default: no. */
  readonly recordsDraws?: boolean;
  /** What the replay does with which crossing. Default: everything is served. */
  readonly plan?: PlanOptions;
}

/** Runs an act as an agent with the real recorder, and again over what was recorded. */
export async function recordThenReplay(
  peer: Peer,
  run: (peer: Peer) => Promise<unknown>,
  { recordsDraws = false, plan = {} }: RecordThenReplayOptions = {},
): Promise<BothRuns> {
  const host = new FidelityHost();
  try {
    const traceIds: (string | undefined)[] = [];
    const fidelity = agent('fidelity', () => {
      traceIds.push(trace.getActiveSpan()?.spanContext().traceId);
      return run(peer);
    });
    const uninstall = recordsDraws ? installDrawRecording() : undefined;
    const recorded = await fidelity().finally(uninstall);
    const recording = await host.recording(traceIds[0]);
    if (recording === undefined) throw new TypeError('Nothing was recorded.');
    // A request that was given up at once is read by a busy peer long after.
    await peer.caughtUp?.();
    const contacts = peer.contacts;
    const report = await replay({ ...plan, recording, run: () => fidelity() });
    return { recorded, recording, report, contactsInReplay: peer.contacts - contacts };
  } finally {
    await host.stop();
  }
}

/** A crossing as the table's expectations write it. */
export function crossingLine({ kind, name, outcome, exchanges }: Crossing): string {
  return `${kind}:${name.replace(/:\d+$/, ':*')} ${outcome.type} ${exchanges.length}`;
}
