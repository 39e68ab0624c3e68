import type { RecordedTimeline } from '@reenact/recordings';
import type { DiffEntry, Recording, ReportedEdit } from '@reenact/trace-model';
import type { EditedEvent } from '../events/replay-event.ts';
import type { Finding } from './caused-by.ts';
import type { DivergenceRecord, EditRecord, EventHistory } from './event-history.ts';

/** What findings are read from. */
export interface FindingSources {
  readonly recording: Recording;
  readonly history: EventHistory;
  readonly timeline: RecordedTimeline;
  /** All divergences, those that only show at the end included. */
  readonly records: readonly DivergenceRecord[];
}

/** `d1`, `d2` … in the order of discovery. */
export function divergenceId(index: number): string {
  return `d${index + 1}`;
}

/** `e1`, `e2` … in the order in which the crossings were met. */
function editId(index: number): string {
  return `e${index + 1}`;
}

/** When the call began in the recording: its own start where it was matched, else how far the replay had got. */
function recordedStartUs({ event }: DivergenceRecord, { recording, timeline }: FindingSources): number {
  const candidate = event.candidate === undefined ? undefined : recording.bySpanId.get(event.candidate.spanId);
  const isMatched = event.kind !== 'never-recorded' && event.kind !== 'exhausted' && event.kind !== 'outcome-changed';
  return isMatched && candidate !== undefined ? timeline.startUs(candidate) : event.recordedAtUs;
}

function effectOf(
  { key, at, event }: DivergenceRecord | EditRecord,
  { history }: FindingSources,
): Pick<
  Finding,
  'path' | 'foundAt' | 'effectiveAt' | 'insideEffectiveAt' | 'recordedAtUs' | 'inputLeaves' | 'outcomeLeaves'
> {
  const settledAt = key === undefined ? undefined : history.settledAt.get(key);
  return {
    path: event.path,
    foundAt: at,
    effectiveAt: event.takesEffect === 'at-once' ? at : (settledAt ?? Number.POSITIVE_INFINITY),
    insideEffectiveAt: event.insideAtOnce ? at : Number.POSITIVE_INFINITY,
    recordedAtUs: event.recordedAtUs,
    inputLeaves: event.inputLeaves ?? [],
    outcomeLeaves: event.outcomeLeaves ?? [],
  };
}

function divergenceFinding(record: DivergenceRecord, index: number, sources: FindingSources): Finding {
  const { key, at, event } = record;
  const { history } = sources;
  const met = key === undefined ? undefined : history.metByKey.get(key);
  // What differs about a call is reported before the call is; what differs about its outcome comes after.
  const startedAt = met === undefined || at === history.events.length ? at : Math.min(at, met.at);
  return {
    ...effectOf(record, sources),
    id: divergenceId(index),
    kind: event.kind,
    isBeside: event.beside === true,
    movedFrom: event.kind === 'moved' ? event.candidate?.path : undefined,
    startedAt: event.kind === 'unconsumed' ? undefined : startedAt,
    recordedStartUs: recordedStartUs(record, sources),
  };
}

/** Everything that may have led to something else, edits among it, in the order of discovery. */
export function findingsOf(sources: FindingSources): Finding[] {
  const edits = sources.history.edits.map(
    (record, index): Finding => ({
      ...effectOf(record, sources),
      id: editId(index),
      kind: 'edit',
      startedAt: record.at,
      recordedStartUs: record.event.recordedAtUs,
    }),
  );
  const divergences = sources.records.map((record, index) => divergenceFinding(record, index, sources));
  return [...edits, ...divergences].sort((left, right) => left.foundAt - right.foundAt);
}

/** Difference entries without members that are only undefined. */
export function definedSides(entry: {
  readonly path: string;
  readonly recorded?: string | undefined;
  readonly live?: string | undefined;
}): DiffEntry {
  return {
    path: entry.path,
    ...(entry.recorded === undefined ? {} : { recorded: entry.recorded }),
    ...(entry.live === undefined ? {} : { live: entry.live }),
  };
}

function reportedEdit(event: EditedEvent, id: string, stale: readonly string[]): ReportedEdit {
  return {
    id,
    policy: event.policy,
    message: event.message,
    path: event.path,
    ...(event.source === undefined ? {} : { source: event.source }),
    ...(event.candidate === undefined ? {} : { candidate: event.candidate }),
    ...(event.difference === undefined ? {} : { difference: event.difference.map(definedSides) }),
    ...(event.differenceTotal === undefined ? {} : { differenceTotal: event.differenceTotal }),
    ...(stale.length > 0 ? { stale } : {}),
    next: event.next,
  };
}

/** What the plan changed, as the report lists it; `stale` goes to the edit that came before everything else. */
export function editsOf(
  history: EventHistory,
  firstCause: string | undefined,
  stale: readonly string[],
): ReportedEdit[] {
  return history.edits.map(({ event }, index) => {
    const id = editId(index);
    return reportedEdit(event, id, id === firstCause ? stale : []);
  });
}
