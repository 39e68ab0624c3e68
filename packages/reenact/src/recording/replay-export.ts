import { type Resource, resourceFromAttributes } from '@opentelemetry/resources';
import { installDrawRecording, type Recorder, RecordingProcessor } from '@reenact/instrumentation';
import type { JoinedReplay, ReplayExport } from '@reenact/replay';
import { ATTR_PROCESS_PARENT_PID, ATTR_PROCESS_PID } from '@reenact/semconv/core';
import { EXPORT_MS_MAX } from '../limits.ts';
import { detectEnvironment } from './detect-environment.ts';
import { openExporter } from './open-exporter.ts';
import type { TellLost } from './spans-at-exit.ts';

/** What takes the spans of a replay, made before the guard of the replay is in place. */
export interface PreparedExport {
  readonly processor: RecordingProcessor;
  /** Hands crossings to the processor, and tells the report which traces they make. */
  readonly recorder: Recorder;
  readonly resource: Resource;
  /** The environment of this process, its exporter variables pointing where the replay's spans go. */
  readonly environment: NodeJS.ProcessEnv;
  readonly tellLost: TellLost;
}

/**
 * Prepares to export a replay: complete recordings, so that a fork can be replayed by itself. Call it before the guard and the
 * virtual time of the replay are in place. `reads`: what the program reads as the numbers of its process and of the one that started it, so that a fork says it, too.
 */
export function prepareExport(
  { url, exported, lost }: ReplayExport,
  reads: Pick<JoinedReplay, 'processId' | 'parentProcessId'>,
): PreparedExport {
  // Below the virtual time of the replay, which tells it what it serves: so the new recording holds the same draws.
  installDrawRecording({ environment: process.env, process: true });
  const { processId, parentProcessId } = reads;
  const read = {
    ...(processId === undefined ? {} : { [ATTR_PROCESS_PID]: processId }),
    ...(parentProcessId === undefined ? {} : { [ATTR_PROCESS_PARENT_PID]: parentProcessId }),
  };
  const resource = detectEnvironment(process.env).merge(resourceFromAttributes(read));
  const exporter = openExporter({ url, timeoutMillis: EXPORT_MS_MAX });
  const processor = new RecordingProcessor(exporter, { resource, flushesAtEnd: false });
  const recorder: Recorder = {
    record: (facts) => {
      if (facts.parentCrossing === undefined) exported(facts.spanContext.traceId, facts.replay?.forkOf !== undefined);
      processor.record(facts);
    },
  };
  const environment = { ...process.env, OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: url };
  return { processor, recorder, resource, environment, tellLost: lost };
}
