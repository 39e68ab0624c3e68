import { assembleRecording, awaitsLogEvents, type CrossingDraft } from '@reenact/dialects';
import type { LogsData, TracesData } from '@reenact/otlp';
import { describeError, type Missing, type Recording, replayabilityOf, toReenactError } from '@reenact/trace-model';
import type { RunSummary } from '@reenact/trace-model/collector-api';

/** One trace, and the recording it amounts to. */
export interface AssembledTrace {
  readonly data: TracesData;
  /** Undefined where no dialect can read the trace. */
  readonly recording: Recording | undefined;
  readonly replayability: RunSummary['replayability'];
}

/**
 * A trace no dialect can read is a cold case with a reason, never a reason to lose the list. `read`: what its spans tell of crossings, where
 * they were read before.
 */
export function assembleTrace(
  data: TracesData,
  logs?: LogsData,
  read?: ReadonlyMap<string, CrossingDraft>,
): AssembledTrace {
  try {
    const recording = assembleRecording(data, logs, read);
    const { verdict, missing } = recording.replayability;
    return { data: recording.data, recording, replayability: { verdict, missing: [...missing] } };
  } catch (thrown) {
    const detail = describeError(toReenactError(thrown));
    return { data, recording: undefined, replayability: { verdict: 'cold', missing: [{ cause: 'damaged', detail }] } };
  }
}

/** The same trace, which lacks these things, too. */
export function withMissing(trace: AssembledTrace, lacking: readonly Missing[]): AssembledTrace {
  if (lacking.length === 0) return trace;
  const { verdict, missing } = trace.replayability;
  const lacks = verdict === 'full' ? replayabilityOf(lacking).verdict : verdict;
  return { ...trace, replayability: { verdict: lacks, missing: [...missing, ...lacking] } };
}

/** What a run lacks that is read without all of its log records. */
const UNREAD_LOGS: Missing = { cause: 'unread', detail: 'its log records' };

/** As `assembleWithLogs`, where the log records may be too many to be read: the trace then lacks them. */
export async function assembleWithFewLogs(
  data: TracesData,
  readLogs: () => Promise<LogsData | undefined>,
): Promise<AssembledTrace> {
  const alone = assembleTrace(data);
  if (alone.recording === undefined || !awaitsLogEvents(alone.recording)) return alone;
  const logs = await readLogs();
  return logs === undefined ? withMissing(alone, [UNREAD_LOGS]) : assembleTrace(data, logs);
}

/** Assembles a trace, with its log records where they may hold what the spans lack. */
export async function assembleWithLogs(data: TracesData, readLogs: () => Promise<LogsData>): Promise<AssembledTrace> {
  const assembled = assembleTrace(data);
  if (assembled.recording === undefined || !awaitsLogEvents(assembled.recording)) return assembled;
  return assembleTrace(data, await readLogs());
}
