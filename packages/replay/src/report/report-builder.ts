import { type RecordedTimeline, recordedTimeline, subtreeOf } from '@reenact/recordings';
import {
  type CausedBy,
  type Crossing,
  type Divergence,
  type IgnoredField,
  isInputDelivery,
  isPrecondition,
  isSentAgain,
  isSignalDelivery,
  offPair,
  type Recording,
  ReenactError,
  type ReplayedCrossing,
  type ReplayReport,
  type RunOutcome,
  recordedCommand,
  unwrittenOutcome,
  VERDICT_EXIT_CODES,
  type Verdict,
} from '@reenact/trace-model';
import { recordedOutcomeText } from '../equality/outcome-comparison.ts';
import type { StampedEvent } from '../events/replay-event.ts';
import { DIVERGENCES_MAX, LISTED_LABELS_MAX, OUTCOME_CHARACTERS_MAX, STALE_PATHS_MAX } from '../limits.ts';
import type { Plan } from '../plan/plan-schema.ts';
import { notCrossed } from '../process/entered-by-function.ts';
import { addedCallAdvice, takenBackAdvice } from './added-call.ts';
import { answeredTwice } from './answered-twice.ts';
import { type BehindWhatIsKnown, behindWhatIsKnown } from './behind-what-is-known.ts';
import { causesOf, type Finding, reaches } from './caused-by.ts';
import { type Consumption, consumptionOf } from './consumption.ts';
import { crossingCounts } from './crossing-counts.ts';
import { enterBy, inputAdvice } from './enter-by.ts';
import { type DivergenceRecord, type EventHistory, eventHistory, type MetRecord } from './event-history.ts';
import { failedAfterRun } from './failed-after-run.ts';
import { definedSides, divergenceId, editsOf, findingsOf } from './findings.ts';
import { type CrossingNote, GatheredNotes } from './gathered-notes.ts';
import { ignoredFields, ignoreNote } from './ignore-notes.ts';
import { outsideNote } from './outside-note.ts';
import { pendingNote } from './pending-note.ts';
import { readOnAdvice } from './read-on.ts';
import { isOutsideRun, replayedSetUp } from './replayed-set-up.ts';
import { servedWholeNote } from './served-whole-note.ts';
import { servicesOf } from './services-of.ts';
import { telemetryNotes } from './telemetry-notes.ts';
import { uncalledAnew, uncalledNote } from './uncalled-anew.ts';

/** What a report is built from. */
export interface ReportInput {
  readonly recording: Recording;
  readonly rootSpanId: string;
  readonly replayId: string;
  readonly process: 'dedicated' | 'shared';
  /** Absent: the whole run. */
  readonly scope?: 'model-calls';
  readonly events: readonly StampedEvent[];
  readonly durationMs: number;
  /** The plan it went by. Default: strict, with nothing ignored. */
  readonly plan?: Plan | undefined;
  /** Where its spans were exported to. */
  readonly exportUrl?: string | undefined;
  /** Limits found outside the players, such as a process that never joined. */
  readonly notes?: readonly (string | CrossingNote)[];
  /** Exit code or signal of the agent's own process. */
  readonly agentExit?: string | undefined;
}

function shorten(text: string): string {
  if (text.length <= OUTCOME_CHARACTERS_MAX) return text;
  return `${text.slice(0, offPair(text, OUTCOME_CHARACTERS_MAX))}… (${text.length} characters)`;
}

function unconsumedDivergence(crossing: Crossing, recordedAtUs: number): DivergenceRecord['event'] {
  return {
    type: 'divergence',
    kind: 'unconsumed',
    message: isSignalDelivery(crossing)
      ? `${crossing.path} reached listeners of the program when it was recorded, but not in the replay.`
      : isInputDelivery(crossing)
        ? `${crossing.path} was given to the program when it was recorded, but not in the replay.`
        : `${crossing.path} was recorded, but the replay did not call it.`,
    path: crossing.path,
    candidate: { spanId: crossing.spanId, path: crossing.path },
    next: 'Find what took the call away, such as another branch, an early return or a cache; where a cause comes before it, look at that first.',
    takesEffect: 'on-settle',
    insideAtOnce: false,
    recordedAtUs,
  };
}

function reportedCrossing({ event, service }: MetRecord, stale: boolean): ReplayedCrossing {
  const { path, answer, rung, recordedSpanId, edited, source } = event;
  return {
    path,
    ...(service === undefined ? {} : { service }),
    answer,
    ...(rung === undefined ? {} : { rung }),
    ...(recordedSpanId === undefined ? {} : { recordedSpanId }),
    stale,
    ...(edited === undefined ? {} : { edited }),
    ...(source === undefined ? {} : { source }),
  };
}

/** Those that say something of the run, and those of calls that were made outside of every run. */
function partedByRun(records: readonly DivergenceRecord[]): [DivergenceRecord[], DivergenceRecord[]] {
  const isBeside = ({ event }: DivergenceRecord): boolean => event.beside === true;
  return [records.filter((record) => !isBeside(record)), records.filter(isBeside)];
}

function besideNote({ message, path }: DivergenceRecord['event'], differs: boolean): CrossingNote {
  const rest = differs
    ? 'A timer made it that was set before the run, so it is not told as a cause; where the run depends on its answer, it may be one.'
    : 'Nothing of the run differed for it.';
  return { text: `${message} ${rest}`, path };
}

interface FirstCause {
  readonly id: string | undefined;
  readonly stale: readonly string[];
}

/** Folds the events of one replay into its report. */
class ReportBuilder {
  private readonly input: ReportInput;
  private readonly history: EventHistory;
  private readonly root: Crossing;
  private readonly consumption: Consumption;
  private readonly records: readonly DivergenceRecord[];
  private readonly notes: (string | CrossingNote)[];
  private readonly doubled: readonly string[];
  private readonly uncalled: readonly string[];
  private readonly behind: BehindWhatIsKnown;
  private readonly timeline: RecordedTimeline;
  private readonly ignored: readonly IgnoredField[];

  constructor(input: ReportInput) {
    const root = input.recording.bySpanId.get(input.rootSpanId);
    if (root === undefined) {
      throw new ReenactError('not-found', `The recording holds no crossing with span id ${input.rootSpanId}.`);
    }
    this.input = input;
    this.root = root;
    this.history = eventHistory(input.events);
    this.consumption = consumptionOf(input.recording, root.spanId, this.history);
    this.timeline = recordedTimeline(root, subtreeOf(input.recording, root.spanId));
    this.ignored = ignoredFields(input.plan?.ignore ?? [], this.history);
    const { met, recorded, unconsumed } = this.consumption;
    const metOfRun = recorded.filter(({ spanId }) => met.has(spanId));
    this.behind = behindWhatIsKnown(metOfRun, unconsumed);
    this.uncalled = uncalledAnew(input.plan, input.recording, this.history);
    this.notes = [...(input.notes ?? []), ...this.uncalled.map((path) => uncalledNote(path, input.recording))];
    this.doubled = answeredTwice(this.history, this.consumption.recorded);
    const records = [...this.history.divergences, ...this.endRecords()];
    const [ofRun, beside] = partedByRun(records);
    // What was refused outside the run may be why it went another way, or never began; where it did not, there is nothing to explain.
    const hasBegun = this.consumption.met.has(root.spanId);
    const differs = !hasBegun || ofRun.some(({ event }) => !isPrecondition(event.kind));
    const isTold = ({ event }: DivergenceRecord): boolean => !differs || event.byTimer === true;
    this.records = differs ? records.filter((record) => !beside.includes(record) || !isTold(record)) : ofRun;
    this.notes.push(...beside.filter(isTold).map(({ event }) => besideNote(event, differs)));
  }

  /** What only shows at the end: an outcome that never came, and recorded calls that were not made. */
  private endRecords(): DivergenceRecord[] {
    const end = this.history.events.length;
    const { met, recorded, unconsumed } = this.consumption;
    // Nobody can give the agent what it went on with.
    const lacks = recorded.some((crossing) => met.has(crossing.spanId) && unwrittenOutcome(crossing) !== undefined);
    const missed = lacks ? [] : unconsumed.filter((crossing) => !this.behind.calls.has(crossing));
    const events = missed.map((crossing) => unconsumedDivergence(crossing, this.timeline.endUs(crossing)));
    const missing = this.missingOutcome();
    return [...(missing === undefined ? [] : [missing]), ...events].map((event) => ({
      key: undefined,
      at: end,
      event,
    }));
  }

  private missingOutcome(): DivergenceRecord['event'] | undefined {
    const hasOutcome = this.history.events.some(({ event }) => event.type === 'outcome');
    const rootMet = this.consumption.met.has(this.root.spanId);
    if (hasOutcome || !rootMet || this.root.outcome.type === 'pending') return undefined;
    const how = this.input.agentExit === undefined ? '' : ` (${this.input.agentExit})`;
    return {
      type: 'divergence',
      kind: 'outcome-changed',
      message: `The run ${this.root.path} stopped before it had an outcome${how}; the recorded run ${this.root.outcome.type}.`,
      path: this.root.path,
      candidate: { spanId: this.root.spanId, path: this.root.path },
      next:
        readOnAdvice(this.consumption.recorded, this.history, this.input.agentExit) ??
        'Look at what the agent printed last, and at what is told above.',
      takesEffect: 'at-once',
      insideAtOnce: true,
      recordedAtUs: this.reachedUs(),
    };
  }

  /** How far into the recording the replay got. */
  private reachedUs(): number {
    const met = this.consumption.recorded.filter(({ spanId }) => this.consumption.met.has(spanId));
    return met.reduce((latestUs, crossing) => Math.max(latestUs, this.timeline.endUs(crossing)), 0);
  }

  private crossings(findings: readonly Finding[]): ReplayedCrossing[] {
    const ofCalls = this.history.divergences.filter(({ event }) => !isPrecondition(event.kind));
    const diverged = new Set(ofCalls.map(({ key }) => key));
    const isStale = ({ key, at, event }: MetRecord): boolean =>
      event.answer === 'stub' &&
      event.edited === undefined &&
      (diverged.has(key) || findings.some((finding) => reaches(finding, at, event.path)));
    return this.history.met.map((record) => reportedCrossing(record, isStale(record)));
  }

  private divergences(causes: ReadonlyMap<string, CausedBy>, first: FirstCause): Divergence[] {
    const all = this.records.map(({ event, service, at }, index): Divergence => {
      const id = divergenceId(index);
      const causedBy = causes.get(id);
      return {
        id,
        kind: event.kind,
        message: event.message,
        path: event.path,
        ...(service === undefined ? {} : { service }),
        ...(event.source === undefined ? {} : { source: event.source }),
        ...(event.candidate === undefined ? {} : { candidate: event.candidate }),
        ...(event.ambiguous === true ? { ambiguous: true } : {}),
        ...(event.happened === true ? { happened: true } : {}),
        ...(event.difference === undefined ? {} : { difference: event.difference.map(definedSides) }),
        ...(event.differenceTotal === undefined ? {} : { differenceTotal: event.differenceTotal }),
        ...(causedBy === undefined ? {} : { causedBy }),
        ...(id === first.id && first.stale.length > 0 ? { stale: first.stale } : {}),
        next: id === first.id ? this.adviceOnFirst(event, at) : (this.adviceOnTaken(event, at) ?? this.adviceOn(event)),
      };
    });
    return this.bounded([
      ...all.filter(({ causedBy }) => causedBy === undefined),
      ...all.filter(({ causedBy }) => causedBy !== undefined),
    ]);
  }

  /** What differs first may come of what no call tells. */
  private adviceOnFirst(event: DivergenceRecord['event'], at: number): string {
    const isEnd = event.kind === 'outcome-changed' && this.consumption.met.has(this.root.spanId);
    const hasEnded = this.history.events.some((stamped) => stamped.event.type === 'outcome');
    const isOfRun = event.path === this.root.path;
    const shifted = this.records.map((record) => record.event);
    const added = this.adviceOnTaken(event, at) ?? addedCallAdvice(event, shifted);
    const advice = isEnd && hasEnded ? this.adviceOnEnd() : (added ?? this.adviceOn(event));
    if (!isEnd && (event.kind !== 'input-changed' || isOfRun)) return advice;
    const before = this.history.events.slice(0, at).map((stamped) => stamped.event);
    return before.some((one) => one.type === 'note' && one.undone === true)
      ? `${advice} The notes name calls that were served and may have done more, when they were recorded, than to give their outcome.`
      : advice;
  }

  /** A later call asked for just what was recorded there, and was given it: this one is one more. */
  private adviceOnTaken({ kind, path, candidate }: DivergenceRecord['event'], at: number): string | undefined {
    if ((kind !== 'input-changed' && kind !== 'schema-changed') || candidate === undefined) return undefined;
    const isAskedFor = this.history.met.some(
      (later) => later.at > at && later.event.recordedSpanId === candidate.spanId && later.event.rung === 'input',
    );
    return isAskedFor ? takenBackAdvice(path) : undefined;
  }

  /** The end of a run that differs although nothing before it does. */
  private adviceOnEnd(): string {
    return this.records.some(({ event }) => isPrecondition(event.kind))
      ? 'No call differs before it. Replay with the preconditions that were recorded first: they may be all that differs.'
      : 'No call differs before it: look at what the code does between the calls, and at what it reads that is no crossing.';
  }

  /** What the run itself is given comes of its command, and the first replay of a program is often started without its arguments. */
  private adviceOn({ kind, path, next }: DivergenceRecord['event']): string {
    const { input, root } = this;
    const isByCommand = input.agentExit !== undefined && input.scope === undefined && !isSentAgain(root);
    if (kind !== 'input-changed' || path !== root.path || !isByCommand) return next;
    const command = recordedCommand(input.recording);
    return command === undefined
      ? next
      : `It was recorded by \`${command}\`: give the replay what the program was given then. ${next}`;
  }

  /** The cause that comes before everything else, and what was served although it no longer fitted. */
  private firstCause(
    findings: readonly Finding[],
    causes: ReadonlyMap<string, CausedBy>,
    crossings: readonly ReplayedCrossing[],
  ): FirstCause {
    const first = findings.find(({ id, kind }) => !causes.has(id) && (kind === 'edit' || !isPrecondition(kind)));
    const stale = [...new Set(crossings.filter((crossing) => crossing.stale).map(({ path }) => path))];
    return { id: first?.id, stale: stale.slice(0, STALE_PATHS_MAX) };
  }

  private bounded(divergences: Divergence[]): Divergence[] {
    const more = divergences.length - DIVERGENCES_MAX;
    if (more > 0) this.notes.push(`${more} further divergences are not listed.`);
    return divergences.slice(0, DIVERGENCES_MAX);
  }

  private outcome(crossings: readonly ReplayedCrossing[]): RunOutcome | undefined {
    const { root } = this;
    if (!this.consumption.met.has(root.spanId)) return undefined;
    const event = this.history.events.map((stamped) => stamped.event).findLast(({ type }) => type === 'outcome');
    const recorded = recordedOutcomeText(root);
    // What was not compared differs in nothing that is known.
    const isCompared = event?.type !== 'outcome' || event.equal !== undefined;
    const known = recorded === undefined || !isCompared ? {} : { recorded: shorten(recorded) };
    const stale = crossings.some((crossing) => crossing.stale);
    if (event?.type !== 'outcome') return { path: root.path, ...known, equal: root.outcome.type === 'pending', stale };
    return { path: root.path, ...known, replayed: shorten(event.replayed), equal: event.equal ?? false, stale };
  }

  private verdict(comparedBelowRoot: number, hasOutcome: boolean): Verdict {
    const events = this.history.events.map(({ event }) => event);
    if (this.records.some(({ event }) => event.kind === 'forbidden')) return 'forbidden';
    if (events.some(({ type }) => type === 'failed' || type === 'outside')) return 'unusable';
    const hasNothingBelow = this.consumption.recorded.length === 0;
    if (comparedBelowRoot === 0 && !(hasNothingBelow && hasOutcome)) return 'nothing-compared';
    if (events.some((event) => event.type === 'note' && event.unverified)) return 'unverified';
    if (this.doubled.length + this.uncalled.length > 0) return 'unverified';
    if (this.records.some(({ event }) => !isPrecondition(event.kind))) return 'diverged';
    return this.behind.note === undefined ? 'reproduced' : 'unverified';
  }

  private collectNotes(verdict: Verdict): Pick<ReplayReport, 'notes' | 'repeatedNotes'> {
    const notes = new GatheredNotes();
    for (const note of this.notes) {
      if (typeof note === 'string') notes.add(note);
      else notes.add(note.text, note.path);
    }
    for (const { event } of this.history.events) {
      // Where all went as recorded nobody missed it.
      const isMissed = event.type === 'note' && (event.undone !== true || verdict !== 'reproduced');
      if (isMissed) notes.add(event.text, event.path);
      if (event.type === 'failed') notes.add(`A process stopped before any agent code ran: ${event.message}`);
      if (event.type === 'outside') notes.add(outsideNote(event.command, event.runtime));
    }
    for (const note of telemetryNotes(this.history.events)) notes.add(note);
    const failed = failedAfterRun(this.history.events, this.input.agentExit);
    if (failed !== undefined) notes.add(failed);
    for (const field of this.ignored) notes.add(ignoreNote(field));
    if (this.doubled.length > 0) {
      const labels = [...new Set(this.doubled)].slice(0, LISTED_LABELS_MAX).join(', ');
      notes.add(
        `More than one process was answered from what was recorded once: ${labels}. It happened more often than in the recording.`,
      );
    }
    const { met, recorded } = this.consumption;
    const hasEnded = this.history.events.some(({ event }) => event.type === 'outcome');
    const open = [...(hasEnded ? [] : [this.root]), ...recorded].filter(({ spanId }) => met.has(spanId));
    const pending = pendingNote(open);
    if (pending !== undefined) notes.add(pending);
    if (this.behind.note !== undefined) notes.add(this.behind.note);
    const whole =
      this.input.scope === undefined
        ? servedWholeNote(recorded, this.history, servicesOf(this.input.recording))
        : undefined;
    if (whole !== undefined) notes.add(whole);
    if (this.input.process === 'shared') {
      notes.add(
        'This process was shared: calls outside the replay were ordinary traffic, also where context was lost.',
      );
    }
    if (verdict !== 'reproduced' && this.readsInput() && this.enterBy().enterBy === undefined)
      notes.add(inputAdvice(this.root));
    const repeatedNotes = notes.repeated();
    return { notes: notes.lines(), ...(repeatedNotes.length === 0 ? {} : { repeatedNotes }) };
  }

  private readsInput(): boolean {
    return this.history.events.some(({ event }) => event.type === 'input-read');
  }

  /** Of a program that was to get to the run by itself. */
  private enterBy(): Pick<ReplayReport, 'enterBy'> {
    const { root, input } = this;
    if (input.scope !== undefined || input.agentExit === undefined || this.consumption.met.has(root.spanId)) return {};
    if (this.history.events.some(({ event }) => event.type === 'failed' || event.type === 'outside')) return {};
    const notWrapped = notCrossed(root);
    const isInside = this.history.events.some(({ event }) => event.type === 'note' && event.text === notWrapped);
    const text = isInside
      ? 'Give the entry the function that agent(), tool() or its like gave, and not the code that it was given.'
      : enterBy(root, this.readsInput());
    return text === undefined ? {} : { enterBy: text };
  }

  private exported(): Pick<ReplayReport, 'exported'> {
    const { exportUrl } = this.input;
    if (exportUrl === undefined) return {};
    const events = this.history.events.map(({ event }) => event).filter((event) => event.type === 'exported');
    // A fork comes before the other runs of its process, which only went the same way again.
    const ids = [...events.filter(({ isFork }) => isFork), ...events].map(({ traceId }) => traceId);
    const lost = this.history.events.map(({ event }) => event).filter((event) => event.type === 'export-lost');
    const spans = lost.reduce((sum, event) => sum + event.spans, 0);
    const keptIn = lost.flatMap((event) => event.keptIn ?? []);
    const undelivered = spans === 0 ? {} : { undelivered: { spans, keptIn } };
    return { exported: { url: exportUrl, traceIds: [...new Set(ids)], ...undelivered } };
  }

  build(): ReplayReport {
    const { input, root, consumption, history } = this;
    const { records, timeline } = this;
    const findings = findingsOf({ recording: input.recording, history, timeline, records });
    const crossings = this.crossings(findings);
    const causes = causesOf(findings);
    const first = this.firstCause(findings, causes, crossings);
    const divergences = this.divergences(causes, first);
    const outcome = this.outcome(crossings);
    const isOutside = isOutsideRun(input.recording, root.spanId);
    const ofRun = crossings.filter(({ path }) => !isOutside(path));
    const compared = history.met.filter(({ event }) => event.compared && !isOutside(event.path));
    const endedAt = history.events.findLastIndex(({ event }) => event.type === 'outcome');
    const beforeEnd = crossings.filter((_, index) => endedAt < 0 || (history.met[index]?.at ?? endedAt) < endedAt);
    const setUp = replayedSetUp(input.recording, root.spanId, { crossings, beforeEnd });
    const belowRoot = compared.filter(({ event }) => event.recordedSpanId !== root.spanId).length;
    const verdict = this.verdict(belowRoot, outcome !== undefined);
    return {
      version: 1,
      replayId: input.replayId,
      traceId: input.recording.traceId,
      rootSpanId: root.spanId,
      rootPath: root.path,
      profile: input.plan?.profile ?? 'strict',
      process: input.process,
      ...(input.scope === undefined ? {} : { scope: input.scope }),
      verdict,
      exitCode: VERDICT_EXIT_CODES[verdict],
      counts: crossingCounts({
        consumption,
        rootSpanId: input.scope === 'model-calls' ? undefined : root.spanId,
        crossings: ofRun,
        compared: compared.length,
      }),
      crossings,
      ...this.enterBy(),
      ...(setUp === undefined ? {} : { setUp }),
      edits: editsOf(history, first.id, first.stale),
      divergences,
      ...(outcome === undefined ? {} : { outcome }),
      ...(this.ignored.length === 0 ? {} : { ignored: this.ignored }),
      ...this.exported(),
      ...this.collectNotes(verdict),
      durationMs: input.durationMs,
      ...(input.agentExit === undefined ? {} : { agentExit: input.agentExit }),
    };
  }
}

/** Builds the report of one replay. Pure: the same events give the same report. */
export function buildReport(input: ReportInput): ReplayReport {
  return new ReportBuilder(input).build();
}
