import { type Divergence, isPrecondition, type ReplayReport, type ReportedEdit } from '@reenact/trace-model';
import { CAUSES_RENDERED_MAX, CONSEQUENCES_RENDERED_MAX, STALE_PATHS_RENDERED_MAX } from '../limits.ts';
import { listed } from '../listed.ts';
import { type AlikeGroup, gatherAlike } from './gather-alike.ts';
import { differencesBeside, runsBesideText } from './runs-beside-text.ts';

/** One cause with what followed from it. */
export interface CauseGroup {
  /** A divergence, or what the plan changed on purpose. */
  readonly cause: Divergence | ReportedEdit;
  /** Other causes that say the same, and led to nothing. */
  readonly alike: readonly Divergence[];
  /** Consequences that differ in exactly what the cause does, such as a changed prompt in each turn behind it. */
  readonly repeated: readonly Divergence[];
  readonly consequences: readonly AlikeGroup<Divergence>[];
  /** Consequences beyond what people read, in one sentence; empty where there are none. */
  readonly moreConsequences: string;
}

/** A report in the order in which people read it; text and Markdown render the same outline. */
export interface ReportOutline {
  /** The verdict in words, one sentence. */
  readonly headline: string;
  /** What was met, in one line. */
  readonly counts: string;
  /** What became of the calls that the program made before the run, in one line; absent where none were recorded. */
  readonly setUp: string | undefined;
  /** What became of the other runs of the process, in one line; absent where there were none. */
  readonly runsBeside: string | undefined;
  /** What differs in those, one text for each run. */
  readonly differencesBeside: readonly string[];
  readonly causes: readonly CauseGroup[];
  /** Causes and edits beyond what people read, in a sentence each; empty where there are none. */
  readonly moreCauses: string;
  /** What the process was made of differently; it does not by itself mean that the agent behaved differently. */
  readonly preconditions: readonly Divergence[];
  /** How the run ended, one sentence; absent where that is not known. */
  readonly outcome: string | undefined;
  /** Said where the outcome rests on stubs that no longer fit. */
  readonly staleness: string | undefined;
  readonly notes: readonly string[];
  readonly next: string;
}

/** Stands above `differencesBeside`. */
export const DIFFERENCES_BESIDE_TITLE = 'What differs in other runs of the process';

function plural(count: number, singular: string): string {
  return `${count} ${singular}${count === 1 ? '' : 's'}`;
}

function divergedHeadline(editCount: number, causeCount: number, consequenceCount: number): string {
  const isPlanned = editCount > 0 && causeCount === 0;
  const parts = [
    ...(isPlanned ? [] : [plural(causeCount, 'cause')]),
    ...(editCount > 0 ? [plural(editCount, 'edit')] : []),
    ...(consequenceCount > 0 ? [plural(consequenceCount, 'consequence')] : []),
  ];
  return `Diverged${isPlanned ? ' as planned' : ''}: ${parts.join(', ')}.`;
}

/** Whether the run itself was met. */
function hasBegun({ outcome, scope }: ReplayReport): boolean {
  return outcome !== undefined && scope === undefined;
}

function headlineOf(report: ReplayReport, causeCount: number, consequenceCount: number): string {
  const editCount = report.edits.length;
  switch (report.verdict) {
    case 'reproduced':
      if (editCount > 0 && report.edits.every(({ policy }) => policy === 'fork'))
        return 'Reproduced: the fork went the same way as the recorded run.';
      if (editCount > 0)
        return `Reproduced in spite of ${plural(editCount, 'edit')}: everything else went as recorded.`;
      if (report.profile === 'edit-tolerant')
        return 'Reproduced: the run went as recorded, its model calls matched by place and tools only.';
      return report.scope === 'model-calls'
        ? 'Reproduced: every model call was made exactly as recorded.'
        : 'Reproduced: the run went exactly as recorded.';
    case 'diverged':
      if (causeCount + editCount + consequenceCount === 0)
        return 'Diverged: this run went as recorded, another one of its process did not.';
      return divergedHeadline(editCount, causeCount, consequenceCount);
    case 'nothing-compared':
      return hasBegun(report)
        ? 'Nothing was compared below the run itself: it met no recorded crossing, so this replay proves nothing.'
        : 'Nothing was compared: no recorded crossing was met, so this replay proves nothing.';
    case 'unverified':
      return 'Not verified: part of what was served could not be compared with the recording.';
    case 'unusable':
      return 'The replay could not take place.';
    case 'forbidden':
      return report.divergences.some(({ happened }) => happened === true)
        ? 'Something that no boundary covers was done for real.'
        : 'A forbidden call was attempted, and refused.';
  }
}

function countsOf({ counts, scope, durationMs, profile }: ReplayReport): string {
  const answers = [
    `${counts.stubbed} stubbed`,
    ...(counts.live > 0 ? [`${counts.live} live`] : []),
    ...(counts.rerun > 0 ? [`${counts.rerun} re-run`] : []),
    ...(counts.refused > 0 ? [`${counts.refused} refused`] : []),
    ...(counts.unconsumed > 0 ? [`${counts.unconsumed} not called`] : []),
    ...(counts.inside > 0 ? [`${counts.inside} inside these`] : []),
  ];
  const more = counts.unrecorded > 0 ? `, ${counts.unrecorded} more called` : '';
  const recorded = plural(counts.recorded, scope === 'model-calls' ? 'model call' : 'crossing');
  return `${recorded} recorded${more} · ${answers.join(', ')} · ${plural(counts.compared, 'input')} compared · ${Math.round(durationMs)} ms${profile === 'strict' ? '' : ` · profile ${profile}`}`;
}

function setUpText({ setUp }: ReplayReport): string | undefined {
  if (setUp === undefined) return undefined;
  const { recorded, held, unrecorded, stubbed, live, refused, notMade, notMadeTotal, traceId } = setUp;
  // Of a program that had called nothing before it, what is known was called beside the run only.
  const isBesideOnly = recorded === 0;
  if (isBesideOnly && stubbed + live + refused === 0) return undefined;
  const more = notMadeTotal - notMade.length;
  const calledBeyond = unrecorded > 0 ? `, ${unrecorded} more called` : '';
  const parts = [
    ...(isBesideOnly ? [] : [`${plural(recorded, 'call')} of the program recorded${calledBeyond}`]),
    ...(held < recorded ? [`${held} held`] : []),
    `${stubbed} stubbed`,
    ...(live > 0 ? [`${live} live`] : []),
    ...(refused > 0 ? [`${refused} refused`] : []),
    ...(notMadeTotal > 0
      ? [`${notMadeTotal} not made: ${notMade.join(', ')}${more > 0 ? ` and ${more} more` : ''}`]
      : []),
    `trace ${traceId}`,
  ];
  return `${isBesideOnly ? 'Outside of the run' : 'Before the run'}: ${parts.join(' · ')}`;
}

/** Node.js itself ends a process so, and says why on its standard error alone, among what the agent printed. */
const UNSETTLED = 'exit code 13';

function exitWords(agentExit: string | undefined): string {
  if (agentExit === undefined) return '';
  const why =
    agentExit === UNSETTLED
      ? ': an await at the top level of a module was waiting for something, and nothing was left that could bring it'
      : '';
  return ` The agent's process ended with ${agentExit}${why}.`;
}

function outcomeOf({ outcome, agentExit }: ReplayReport): string | undefined {
  const exit = exitWords(agentExit);
  if (outcome === undefined) return agentExit === undefined ? undefined : exit.trim();
  if (outcome.equal && outcome.replayed === undefined) return `The run did not end, as recorded.${exit}`;
  if (outcome.equal) return `The run ended as recorded.${exit}`;
  if (outcome.recorded === undefined) return `The run ended; how it ended when recorded is not known.${exit}`;
  return `The run ended differently than recorded.${exit}`;
}

/** Said first where the command itself failed, as one that is misspelt does: what it printed says more than anything below. */
function failedCommand(report: ReplayReport): string {
  const { verdict, agentExit = '' } = report;
  if (verdict !== 'nothing-compared' || hasBegun(report) || !/^exit code [1-9]/.test(agentExit)) return '';
  return `The command ended with ${agentExit} and called nothing that was recorded: look at what it printed first. `;
}

/** A program that may not open its own files or start its own programs gets to no run, however that begins; one that may not connect may wait for a message there. */
function isStoppedBeforeRun(first: CauseGroup | undefined): boolean {
  return (
    first !== undefined &&
    !isEdit(first.cause) &&
    first.cause.kind === 'forbidden' &&
    /--allow-(?:path|program)/.test(first.cause.next)
  );
}

function nextOf(report: ReplayReport, causes: readonly CauseGroup[]): string {
  // What nobody planned comes first, then what the plan led to.
  const first = causes.find(({ cause }) => !isEdit(cause)) ?? causes[0];
  if (report.enterBy !== undefined && !isStoppedBeforeRun(first)) return report.enterBy;
  switch (report.verdict) {
    case 'reproduced':
      if (report.scope === 'model-calls') return 'Change the code and serve the recording again.';
      return 'Change the code and replay again, or run a crossing for real with --live <kind>:<name>.';
    case 'nothing-compared':
      if (report.scope === 'model-calls') return 'Check that the agent takes its base URL from the environment.';
      // The recorded agent was started: what kept it from its recorded calls says more.
      if (hasBegun(report) && first !== undefined) return first.cause.next;
      return 'Check that the command starts the recorded agent, and that its libraries are instrumented.';
    case 'unverified':
      return 'Resolve the notes; a replay that could not compare everything never counts as reproduced.';
    case 'unusable':
      return 'Resolve the notes and start the replay again.';
    case 'diverged':
    case 'forbidden':
      return first?.cause.next ?? 'Look at what differs above, and replay that run.';
  }
}

type Exported = NonNullable<ReplayReport['exported']>;

function undeliveredNote({ url, traceIds, undelivered }: Exported & Required<Exported>, isFork: boolean): string {
  const { spans, keptIn } = undelivered;
  const what = isFork ? 'The fork could not be sent on whole' : 'The spans of this replay could not all be sent on';
  const count = spans === 1 ? '1 span' : `${spans} spans`;
  const kept = keptIn.length === 0 ? '' : ` What is kept of them: ${keptIn.join(', ')}.`;
  return `${what}: trace ${traceIds.join(', ')}, ${count} not delivered to ${url}.${kept}`;
}

function exportNotes({ exported, edits }: ReplayReport): string[] {
  if (exported === undefined) return [];
  const [first, ...others] = exported.traceIds;
  if (first === undefined) return [`No span of this replay was there to be sent to ${exported.url}.`];
  const isFork = edits.some(({ policy }) => policy === 'fork');
  if (exported.undelivered !== undefined)
    return [undeliveredNote({ ...exported, undelivered: exported.undelivered }, isFork)];
  if (!isFork)
    return [`The spans of this replay were sent on: trace ${exported.traceIds.join(', ')}, sent to ${exported.url}.`];
  const beside = others.length === 0 ? '' : ` So were the other runs of its process: ${others.join(', ')}.`;
  return [`The fork is a recording of its own: trace ${first}, sent to ${exported.url}.${beside}`];
}

/** Whether a cause is what the plan changed on purpose. */
export function isEdit(cause: CauseGroup['cause']): cause is ReportedEdit {
  return 'policy' in cause;
}

/** What a cause is and where, without the path: `Cause d1: input-changed` or `Edit e1: fail`. */
export function causeTitle(cause: CauseGroup['cause']): string {
  return isEdit(cause) ? `Edit ${cause.id}: ${cause.policy}` : `Cause ${cause.id}: ${cause.kind}`;
}

/** What is left of a list behind its first groups, and where it stands; empty where nothing is. */
function restText(groups: readonly AlikeGroup<Divergence | ReportedEdit>[], shown: number, singular: string): string {
  const count = groups.slice(shown).reduce((sum, { alike }) => sum + 1 + alike.length, 0);
  return count === 0 ? '' : `… and ${plural(count, `more ${singular}`)}: the report as JSON (--json) lists them.`;
}

function differsAs(consequence: Divergence, cause: CauseGroup['cause']): boolean {
  if (isEdit(cause) || consequence.kind !== cause.kind || consequence.stale !== undefined) return false;
  if (cause.difference === undefined || consequence.differenceTotal !== cause.differenceTotal) return false;
  return JSON.stringify(consequence.difference) === JSON.stringify(cause.difference);
}

/** Which consequences show the difference of their cause once more, in one sentence; empty where none do. */
export function repeatedText({ repeated }: Pick<CauseGroup, 'repeated'>): string {
  if (repeated.length === 0) return '';
  const calls = listed(repeated.map(({ path, id }) => `${path} (${id})`));
  return `The same difference is in ${plural(repeated.length, 'later call')}: ${calls}.`;
}

function causesOf(
  { edits }: ReplayReport,
  others: readonly Divergence[],
): Pick<ReportOutline, 'causes' | 'moreCauses'> {
  const consequencesById = Map.groupBy(others, ({ causedBy }) => causedBy?.divergence);
  const unexplained = consequencesById.get(undefined) ?? [];
  // Each by itself: edits are many where a glob names them, and what nobody planned comes behind them.
  const planned = edits.map((first): AlikeGroup<CauseGroup['cause']> => ({ first, alike: [] }));
  const unplanned = gatherAlike(unexplained, ({ id }) => !consequencesById.has(id));
  const shown = [...planned.slice(0, CAUSES_RENDERED_MAX), ...unplanned.slice(0, CAUSES_RENDERED_MAX)];
  const causes = shown.map(({ first, alike }) => {
    const led = consequencesById.get(first.id) ?? [];
    const repeated = led.filter((consequence) => differsAs(consequence, first));
    const consequences = gatherAlike(led.filter((consequence) => !repeated.includes(consequence)));
    return {
      cause: first,
      alike,
      repeated,
      consequences: consequences.slice(0, CONSEQUENCES_RENDERED_MAX),
      moreConsequences: restText(consequences, CONSEQUENCES_RENDERED_MAX, 'consequence'),
    };
  });
  const more = [restText(planned, CAUSES_RENDERED_MAX, 'edit'), restText(unplanned, CAUSES_RENDERED_MAX, 'cause')];
  return { causes, moreCauses: more.filter((text) => text !== '').join(' ') };
}

/** Puts a report in reading order. */
export function outlineOf(report: ReplayReport): ReportOutline {
  const preconditions = report.divergences.filter(({ kind }) => isPrecondition(kind));
  const others = report.divergences.filter(({ kind }) => !isPrecondition(kind));
  const unexplained = others.filter(({ causedBy }) => causedBy === undefined);
  const { causes, moreCauses } = causesOf(report, others);
  // Another answer than the recorded one came of the code that ran; what of it was served stale stands at the cause.
  const isStale = report.outcome?.stale === true && report.outcome.equal;
  return {
    headline: headlineOf(report, unexplained.length, others.length - unexplained.length),
    counts: countsOf(report),
    setUp: setUpText(report),
    runsBeside: runsBesideText(report),
    differencesBeside: differencesBeside(report),
    causes,
    moreCauses,
    preconditions,
    outcome: outcomeOf(report),
    staleness: isStale
      ? 'The final answer is the recorded one: what came after the change was answered as recorded, so it says nothing about the fix. A fork lets the rest run for real: --fork with the path of the first cause.'
      : undefined,
    notes: [...report.notes, ...exportNotes(report)],
    next: failedCommand(report) + nextOf(report, causes),
  };
}

/** Which crossings were served although they no longer fit, in one sentence; empty where none were. */
export function staleText(cause: CauseGroup['cause']): string {
  const stale = cause.stale ?? [];
  if (stale.length === 0) return '';
  const more = stale.length - STALE_PATHS_RENDERED_MAX;
  const shown = stale.slice(0, STALE_PATHS_RENDERED_MAX).join(', ') + (more > 0 ? ` and ${more} more` : '');
  return `Served stale after this: ${shown}.`;
}

/** Why a consequence is one, in one sentence. */
export function evidenceText(divergence: Divergence): string {
  if (divergence.causedBy === undefined) return '';
  switch (divergence.causedBy.evidence) {
    case 'value':
      return `It contains a value that ${divergence.causedBy.divergence} changed.`;
    case 'order':
      return `It came after ${divergence.causedBy.divergence}, in a situation nobody recorded.`;
  }
}
