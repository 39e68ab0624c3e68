import type { Context } from '@opentelemetry/api';
import { isTracingSuppressed } from '@opentelemetry/core';
import { SENDS_TELEMETRY } from '@reenact/trace-model';
import { guarded } from '../host/report-failure.ts';
import { STACK_FRAMES_NEAR } from '../limits.ts';
import { packageOf } from '../patching/package-of.ts';
import { type Callee, type CallingFrame, callingFrames } from '../source-line.ts';

/** How far up a function is looked for whose name says that something is exported. */
const NAMED_FRAMES_MAX = 6;

const telemetryPackage =
  /opentelemetry|otel|telemetry|exporter|sentry|datadog|dd-trace|newrelic|elastic-apm|honeycomb|langfuse|langsmith|traceloop|logfire/i;
/** Sentry's SDK sends in a method `suppressTracing`, and detectors of resources ask clouds: in a bundle such names are all there is. */
const exportingFunction =
  /export(?!s\.)|flush|suppresstracing|spanprocessor|logrecordprocessor|metricreader|(?:^|[. ])(?:onEnd|onEmit|_runOnce|_doRun|detect)$/i;

/** Not AWS's distribution, whose name ends in `autoinstrumentation`, and which has exporters and a sampler of its own. */
const instrumentationPackage = /(?:^|[/-])instrumentation(?:-|$)/;

/** An instrumentation suppresses the spans of the very call that it instruments, which is no telemetry. */
function sendsTelemetry(name: string): boolean {
  return telemetryPackage.test(name) && !instrumentationPackage.test(name);
}

function packageNameOf(file: string): string | undefined {
  return packageOf(file)?.name;
}

/** By whoever is nearest on the stack: a package by its name; code of the app, or of its bundle, by its functions. */
function isSender(frames: readonly CallingFrame[]): boolean {
  const beyond = frames.filter(({ file }) => !file.startsWith('node:') && packageNameOf(file) !== '@opentelemetry/api');
  const [nearest] = beyond;
  // Where nobody can be told, it is what suppressing is there for.
  if (nearest === undefined) return true;
  const name = packageNameOf(nearest.file);
  if (name !== undefined) return sendsTelemetry(name);
  return beyond.slice(0, NAMED_FRAMES_MAX).some((frame) => exportingFunction.test(frame.name));
}

/**
 * `entered` with the word who suppresses tracing in it: exporters do, and so do clients and apps for calls that belong to the run.
 * `callee`: the function of ours that was called to enter it. Never throws.
 */
export function withSender(entered: Context, callee: Callee): Context {
  if (!isTracingSuppressed(entered) || entered.getValue(SENDS_TELEMETRY) !== undefined) return entered;
  const frames = (): readonly CallingFrame[] => callingFrames(callee, STACK_FRAMES_NEAR);
  return entered.setValue(
    SENDS_TELEMETRY,
    guarded('telling who suppresses tracing', () => isSender(frames()), true),
  );
}
