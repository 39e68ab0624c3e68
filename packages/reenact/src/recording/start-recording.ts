import { context, ROOT_CONTEXT } from '@opentelemetry/api';
import { CompositePropagator, W3CBaggagePropagator, W3CTraceContextPropagator } from '@opentelemetry/core';
import { type SpanExporter, TracerProvider } from '@opentelemetry/sdk-trace';
import {
  environmentContext,
  gate,
  installChildContext,
  installDrawRecording,
  installExtraction,
  isOfCodeThatRunsAgain,
  prepareSignals,
  RecordingProcessor,
  reportSettingTraps,
  watchUncaught,
  withPosition,
} from '@reenact/instrumentation';
import type { JoinedReplay } from '@reenact/replay';
import { EXPORT_MS_MAX } from '../limits.ts';
import { asProcessGoes } from './as-process-goes.ts';
import { detectEnvironment } from './detect-environment.ts';
import { HostAwarePropagator } from './host-aware-propagator.ts';
import { HostAwareTracerProvider } from './host-aware-tracer-provider.ts';
import { openExporter } from './open-exporter.ts';
import { noProcessRun, openProcessRun, type ProcessRun } from './process-run.ts';
import type { PreparedExport } from './replay-export.ts';
import { SenderAwareContexts } from './sender-aware-contexts.ts';
import { deliverAtExit } from './spans-at-exit.ts';

/** A host that set up its own context manager keeps it; ours fills the place only where there is none. */
function ensureContext(): void {
  context.setGlobalContextManager(new SenderAwareContexts().enable());
  const propagators = [new W3CTraceContextPropagator(), new W3CBaggagePropagator()];
  new HostAwarePropagator(new CompositePropagator({ propagators })).register();
}

/** The standard exporter; where nobody set a timeout, one that does not hold up a process that is about to end. */
function makeExporter(environment: NodeJS.ProcessEnv): SpanExporter {
  const isSet =
    environment.OTEL_EXPORTER_OTLP_TIMEOUT !== undefined || environment.OTEL_EXPORTER_OTLP_TRACES_TIMEOUT !== undefined;
  return openExporter(isSet ? {} : { timeoutMillis: EXPORT_MS_MAX });
}

/**
 * Starts recording in this process: a provider of our own with the recording processor, exported by the standard
 * OTLP/HTTP exporter as the OTEL_EXPORTER_OTLP_* variables say. Returns how to put back what it has replaced of the platform.
 */
export function startRecording(): () => void {
  ensureContext();
  reportSettingTraps(process.env);
  const resource = detectEnvironment(process.env);
  const processor = new RecordingProcessor(makeExporter(process.env), { resource, spool: true, flushesAtEnd: false });
  const provider = new TracerProvider({ resource, spanProcessors: [processor] });
  // OpenTelemetry's own carrier: who started this process says in which trace it stands.
  const base = environmentContext(process.env);
  const run: ProcessRun = openProcessRun(base, base !== undefined && isOfCodeThatRunsAgain(process.env));
  const hostAware = new HostAwareTracerProvider(provider);
  gate.configure({
    tracerProvider: hostAware,
    recorder: processor,
    rootContext: run.context,
    openedRootContext: run.opened,
    rootEnclosesRuns: base !== undefined,
    // A host with a provider of its own instruments its own requests; two trace contexts on one request would be none.
    injectsTraceContext: () => hostAware.current() === provider,
  });
  const undos = [
    // What still listens to the platform then finds that nothing is to be recorded.
    () => gate.disable(),
    installChildContext(),
    installExtraction(),
    installDrawRecording({ environment: process.env, process: true }),
    deliverAtExit(processor, run, { leavesQuietRuns: true }),
  ];
  return () => {
    for (const undo of undos.reverse()) undo();
  };
}

/**
 * Sets up contexts for a replay, where spans are made for their ids, and exported only where `exporting` says so. A
 * process run is opened only where one was recorded, else a call that lost its context would add a crossing nobody recorded.
 */
export function startReplaying(replay: JoinedReplay, exporting: PreparedExport | undefined): void {
  const { position, processRun, opensRunAtEnd } = replay;
  ensureContext();
  prepareSignals();
  const { processor, recorder, resource } = exporting ?? {};
  const provider = new TracerProvider({
    ...(resource === undefined ? {} : { resource }),
    ...(processor === undefined ? {} : { spanProcessors: [processor] }),
  });
  const hostAware = new HostAwareTracerProvider(provider);
  const injectsTraceContext = (): boolean => hostAware.current() === provider;
  gate.configure({ tracerProvider: hostAware, recorder, injectsTraceContext });
  // The command of the replay begins a trace of its own; its child processes stand where they are started.
  const base =
    position.cursor === undefined ? undefined : withPosition(environmentContext(process.env) ?? ROOT_CONTEXT, position);
  const run = processRun === 'none' ? noProcessRun(base) : openProcessRun(base, opensRunAtEnd);
  gate.configure({
    rootContext: run.context,
    openedRootContext: run.opened,
    rootEnclosesRuns: processRun === 'everything' || base !== undefined,
  });
  installChildContext();
  installExtraction();
  if (exporting === undefined) {
    watchUncaught();
    asProcessGoes((code) => run.end(code));
  } else deliverAtExit(exporting.processor, run, exporting);
}
