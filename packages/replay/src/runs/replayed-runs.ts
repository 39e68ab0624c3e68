import {
  type Divergence,
  isPrecondition,
  isSentAgain,
  type Recording,
  type ReplayedRunBeside,
  type ReplayedRunsBeside,
  type ReplayReport,
  type RequestsBeside,
  type RunBeside,
  VERDICT_EXIT_CODES,
  type Verdict,
} from '@reenact/trace-model';
import { runsBesideOf } from '@reenact/trace-model/reading';
import type { ReplayEvent, StampedEvent } from '../events/replay-event.ts';
import { RUNS_LISTED_MAX } from '../limits.ts';
import { planBeside } from '../plan/plan-beside.ts';
import type { Plan } from '../plan/plan-schema.ts';
import { runName } from '../recorded/run-name.ts';
import { buildReport } from '../report/report-builder.ts';

/** Begins the mark of what was drawn and is not recorded. */
const DRAWS = '/draws/';

/** What the report of a process that goes through several runs is made of. */
export interface RunsReportInput {
  readonly recording: Recording;
  readonly rootSpanId: string;
  readonly plan: Plan;
  /** What the processes reported of all runs. */
  readonly events: readonly StampedEvent[];
  /** When the replay stopped the command, by the clock of the reports; undefined where it ended by itself. */
  readonly stoppedAtUs?: number | undefined;
}

/** The calls of a run that were recorded to begin only when the replayed one had ended: a process that is stopped then never gets to them. */
function callsBehind({ crossings }: Recording, { recording, rootSpanId }: RunsReportInput): Set<unknown> {
  const named = recording.crossings.find(({ spanId }) => spanId === rootSpanId);
  if (named === undefined) return new Set();
  const behind = crossings.filter(({ startTimeUnixNano }) => startTimeUnixNano > named.endTimeUnixNano);
  return new Set(behind.map(({ spanId }) => spanId));
}

/** When the replayed run had ended, by the clock of the reports; infinite where it did not. */
function endedAtUs({ recording, rootSpanId, events }: RunsReportInput): number {
  const path = recording.bySpanId.get(rootSpanId)?.path;
  const ended = events.find(({ run, event }) => run === undefined && event.type === 'outcome' && event.path === path);
  return ended?.atUs ?? Number.POSITIVE_INFINITY;
}

/**
 * What went another way in a request beside the replayed run, once that had ended. It says nothing of it: requests that came later, which the other may
 * share a call with, are not sent.
 */
function isBehind({ event, atUs }: StampedEvent, afterUs: number): boolean {
  return atUs > afterUs && event.type === 'divergence' && event.kind !== 'forbidden';
}

/** A run that was stopped with the process was not compared to its end. */
function foundIn(report: ReplayReport, hasEnded: boolean, notReached: ReadonlySet<unknown>): Divergence[] {
  const found = report.divergences.filter(
    ({ kind, candidate }) => !isPrecondition(kind) && (kind !== 'unconsumed' || !notReached.has(candidate?.spanId)),
  );
  return hasEnded ? found : found.filter(({ kind }) => kind !== 'unconsumed' && kind !== 'outcome-changed');
}

function eventsByRun(events: readonly StampedEvent[]): ReadonlyMap<string, readonly StampedEvent[]> {
  const byRun = new Map<string, StampedEvent[]>();
  for (const event of events) {
    if (event.run === undefined) continue;
    const ofRun = byRun.get(event.run);
    if (ofRun === undefined) byRun.set(event.run, [event]);
    else ofRun.push(event);
  }
  return byRun;
}

function replayedRun(
  { recording, root, place }: RunBeside,
  own: readonly StampedEvent[],
  input: RunsReportInput,
): ReplayedRunBeside {
  const { plan, stoppedAtUs = Number.POSITIVE_INFINITY } = input;
  const { spanId: rootSpanId, path } = root;
  const named = { place, traceId: recording.traceId, rootSpanId, path };
  if (own.length === 0) return { ...named, ended: 'not-begun', stubbed: 0, refused: 0, divergences: [] };
  // A service that closes its connections when it is stopped cuts off what it still answers.
  const afterUs = isSentAgain(root) ? endedAtUs(input) : Number.POSITIVE_INFINITY;
  const isCut = input.stoppedAtUs !== undefined || afterUs < Number.POSITIVE_INFINITY;
  const hasEnded = own.some(({ event, atUs }) => event.type === 'outcome' && atUs < stoppedAtUs);
  const report = buildReport({
    recording,
    rootSpanId,
    replayId: '',
    process: 'dedicated',
    events: own.filter((event) => !isBehind(event, afterUs)),
    durationMs: 0,
    plan: planBeside(plan, recording, rootSpanId),
  });
  const { stubbed, refused } = report.counts;
  return {
    ...named,
    ended: hasEnded ? 'ended' : 'going-on',
    stubbed,
    refused,
    divergences: foundIn(report, hasEnded, isCut ? callsBehind(recording, input) : new Set()),
  };
}

function verdictWith(verdict: Verdict, runs: readonly ReplayedRunBeside[], isUnverified: boolean): Verdict {
  const found = runs.flatMap(({ divergences }) => divergences);
  if (found.some(({ kind }) => kind === 'forbidden')) return 'forbidden';
  if (verdict !== 'reproduced' && verdict !== 'diverged') return verdict;
  if (isUnverified) return 'unverified';
  return found.length > 0 ? 'diverged' : verdict;
}

/** Notes of the runs beside that are told, each with the name of its run, once and not too many. */
function notesOf(
  runs: readonly RunBeside[],
  eventsOf: (run: RunBeside) => readonly StampedEvent[],
  isTold: (note: Extract<ReplayEvent, { type: 'note' }>) => boolean,
): string[] {
  const told = runs.flatMap((run) =>
    eventsOf(run).flatMap(({ event }) =>
      event.type === 'note' && isTold(event) ? [`In ${runName(run)}: ${event.text}`] : [],
    ),
  );
  return [...new Set(told)].slice(0, RUNS_LISTED_MAX);
}

/** Names the requests beside it that went another way only behind its end. */
function behindNotes(
  runs: readonly RunBeside[],
  replayed: readonly ReplayedRunBeside[],
  input: RunsReportInput,
): string[] {
  const afterUs = endedAtUs(input);
  const wentOther = new Set(input.events.filter((event) => isBehind(event, afterUs)).map(({ run }) => run));
  const asRecorded = new Set(
    replayed.filter(({ divergences }) => divergences.length === 0).map(({ rootSpanId }) => rootSpanId),
  );
  return runs
    .filter(({ root }) => isSentAgain(root) && wentOther.has(root.spanId) && asRecorded.has(root.spanId))
    .slice(0, RUNS_LISTED_MAX)
    .map(
      (run) =>
        `In ${runName(run)}: it went another way once this run had ended, which does not count, for requests that came later were not sent.`,
    );
}

/** Of those that went another way, what they drew and nobody recorded: it is another each time, and may be why. */
function lostDrawNotes(runs: readonly RunBeside[], replayed: readonly ReplayedRunBeside[]): string[] {
  const diverged = new Set(
    replayed.filter(({ divergences }) => divergences.length > 0).map(({ rootSpanId }) => rootSpanId),
  );
  const notes = runs
    .filter(({ root }) => diverged.has(root.spanId))
    .flatMap((run) =>
      run.recording.crossings
        .flatMap(({ lossy }) => lossy)
        .filter((mark) => mark.startsWith(DRAWS))
        .map((mark) => `In ${runName(run)}, which went another way: ${mark.slice(DRAWS.length)}.`),
    );
  return [...new Set(notes)].slice(0, RUNS_LISTED_MAX);
}

function listedRuns(runs: readonly ReplayedRunBeside[]): ReplayedRunBeside[] {
  const isTold = ({ ended, divergences }: ReplayedRunBeside): boolean =>
    divergences.length > 0 || ended === 'not-begun';
  return [...runs.filter(isTold), ...runs.filter((run) => !isTold(run))]
    .slice(0, RUNS_LISTED_MAX)
    .sort((left, right) => left.place - right.place);
}

/** Where what was not sent may be why; one that drew more than recorded, as what loads a module at its first request does, is *unverified*. */
const WENT_ANOTHER_WAY: readonly ReplayReport['verdict'][] = ['diverged', 'nothing-compared', 'unverified'];

function countNotSent(requests: RequestsBeside | undefined): number {
  return requests === undefined ? 0 : requests.recorded - requests.held;
}

/** What to do first about a request that waited for what never came, where others were not sent: one of them may have brought it. */
function sendingThem(
  events: readonly StampedEvent[],
  requests: RequestsBeside | undefined,
): Pick<ReplayReport, 'enterBy'> {
  const isUnanswered = events.some(
    ({ run, event }) => run === undefined && event.type === 'note' && event.unanswered === true,
  );
  if (!isUnanswered || countNotSent(requests) <= 0) return {};
  return {
    enterBy:
      'The request waited for what never came, and was sent alone: replay it with those that came before it and beside it, `--requests-before all`. Where it waits with them, too, look at the first cause.',
  };
}

/** Said of a request that went another way where others had come before it or beside it: what they left in memory was not there. */
function notSentNotes({ verdict }: ReplayReport, requests: RequestsBeside | undefined): string[] {
  const notSent = countNotSent(requests);
  if (notSent <= 0 || !WENT_ANOTHER_WAY.includes(verdict)) return [];
  const [those, were] = notSent === 1 ? ['One request', 'was'] : [`${notSent} requests`, 'were'];
  return [
    `${those} that came to its process before it or beside it and may have left something in memory, as a cache or a conversation, ${were} not sent: \`--requests-before all\` replays it after those that are still kept.`,
  ];
}

/**
 * The report of the replayed run with what became of the runs beside it. What differs in one of them is told as that run's, and counts:
 * the process went another way than it was recorded to.
 */
export function withRunsBeside(report: ReplayReport, input: RunsReportInput): ReplayReport {
  const { place, runs: beside, requests } = runsBesideOf(input.recording, input.rootSpanId);
  const notSent = notSentNotes(report, requests);
  const sending = sendingThem(input.events, requests);
  if (beside.length === 0) return { ...report, ...sending, notes: [...report.notes, ...notSent] };
  const byRun = eventsByRun(input.events);
  const eventsOf = ({ root }: RunBeside): readonly StampedEvent[] => byRun.get(root.spanId) ?? [];
  const runs = beside.map((run) => replayedRun(run, eventsOf(run), input));
  // What could not be compared, and what was refused behind such a run.
  const unverified = notesOf(beside, eventsOf, (note) => note.unverified);
  const late = notesOf(beside, eventsOf, (note) => note.afterRun === true);
  const behind = behindNotes(beside, runs, input);
  const verdict = verdictWith(report.verdict, runs, unverified.length > 0);
  const count = (read: (run: ReplayedRunBeside) => number): number => runs.reduce((sum, run) => sum + read(run), 0);
  const runsBeside: ReplayedRunsBeside = {
    place,
    recorded: runs.length,
    begun: count(({ ended }) => Number(ended !== 'not-begun')),
    diverged: count(({ divergences }) => Number(divergences.length > 0)),
    stubbed: count(({ stubbed }) => stubbed),
    refused: count(({ refused }) => refused),
    runs: listedRuns(runs),
  };
  return {
    ...report,
    ...sending,
    runsBeside,
    verdict,
    exitCode: VERDICT_EXIT_CODES[verdict],
    notes: [...report.notes, ...unverified, ...late, ...behind, ...lostDrawNotes(beside, runs), ...notSent],
  };
}
