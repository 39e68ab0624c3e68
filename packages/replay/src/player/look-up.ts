import { subtreeOf } from '@reenact/recordings';
import {
  type Crossing,
  changesTheWorld,
  crossingLabel,
  isInputDelivery,
  isSignalDelivery,
  type LookUpRung,
  PROCESS_RUN_LABEL,
  type Profile,
  type Recording,
  type SetUp,
} from '@reenact/trace-model';
import {
  type IgnoredPathsOf,
  InputComparer,
  type InputComparison,
  type LiveInput,
} from '../equality/input-comparison.ts';
import { isPolling } from '../recorded/is-polling.ts';
import { knownUntil } from '../recorded/known-until.ts';
import { callOfItsTime } from './call-of-its-time.ts';
import { calledBeside } from './called-beside.ts';
import { closestCrossing, type SameBy } from './closest-crossing.ts';
import { Consumption, isMadeByStub } from './consumption.ts';
import { CrossingGroup } from './crossing-group.ts';
import type { Inquiry } from './inquiry.ts';
import { sameTools } from './model-input.ts';

/** The position below a live crossing that no recorded crossing was found for: nothing was recorded there. */
export const EMPTY_CURSOR = 'none';

/** What the look-up found. */
export type LookUpResult =
  | {
      readonly type: 'found';
      readonly recorded: Crossing;
      readonly rung: LookUpRung;
      readonly comparison: InputComparison;
      /** The choice fell on the earliest of several that were left. */
      readonly ambiguous: boolean;
      /** A sibling recorded to have begun after this one had ended, but which the replay met first. */
      readonly overtakenBy: Crossing | undefined;
      /** It has answered a call before: outside of the run, what only reads may be called more often than recorded. */
      readonly isAgain?: true;
      /** It has answered another call, whose turn it was, with another input: this one asks for just what was recorded. */
      readonly isTakenBack?: true;
    }
  | {
      readonly type: 'missing';
      /** exhausted: there were such crossings here, and all of them have been met already. */
      readonly reason: 'never-recorded' | 'exhausted';
      /** The cursor under which it was looked for, or `BEFORE_RUN`. */
      readonly under: string;
      readonly closest: Crossing | undefined;
      /** By what the closest one is this very call under another name, as far as can be seen. */
      readonly sameBy?: SameBy;
    };

/** Where a call stands that was made before the run began: below nothing. */
export const BEFORE_RUN = '';

/** How a plan changes the look-up. */
export interface LookUpOptions {
  /** The run of the process in which the root began, where what came before it was recorded: that is looked up there. */
  readonly setUp?: SetUp | undefined;
  readonly profile?: Profile | undefined;
  readonly ignoredPathsOf?: IgnoredPathsOf | undefined;
  /** Whether other runs go on in this process: what has lost its context is then none of this one's. */
  readonly isBesideOthers?: (() => boolean) | undefined;
  /** What time it is in the replay, and was when a crossing began: by that calls are found that timers make before the run and beside it. */
  readonly times?: SetUpTimes | undefined;
}

/** Microseconds since the run began. */
export interface SetUpTimes {
  readonly nowUs: () => number;
  readonly startUs: (crossing: Crossing) => number;
}

type FoundResult = Extract<LookUpResult, { type: 'found' }>;
type Found = Pick<FoundResult, 'recorded' | 'rung' | 'comparison' | 'ambiguous' | 'isTakenBack'>;

type ToConsume = Pick<FoundResult, 'recorded' | 'rung'> & Partial<Pick<FoundResult, 'comparison'>>;

/**
 * Finds the recorded crossing for a live call, and keeps what has been consumed (DESIGN section 6, "looking up"). The one
 * place where that is decided. Start order finds, completion order releases (release-schedule.ts): so calls that ran in
 * parallel get their own outcomes however they finished.
 */
export class LookUp {
  readonly root: Crossing;
  readonly comparer: InputComparer;
  /** Whether the run begins in this process: no call before it is one of its crossings. */
  beginsHere = false;
  private readonly isTolerant: boolean;
  private readonly isBesideOthers: LookUpOptions['isBesideOthers'];
  private readonly times: SetUpTimes | undefined;
  private readonly subtree: readonly Crossing[];
  /** By the span id of their parent, then by label. */
  private readonly siblings = new Map<string, Map<string, CrossingGroup>>();
  private readonly everywhere = new Map<string, CrossingGroup>();
  private readonly consumed = new Consumption();
  private readonly setUp: LookUp | undefined;
  private hasEnded = false;
  /** The run goes on in another process, which this one may have started. */
  private isElsewhere = false;
  /** Whether the order of calls says anything: timers that go by themselves have none among each other. */
  private isOrdered = true;
  /** What began after the end of the run that this is the set-up of: none of it is found before. */
  private readonly laterOn = new Set<string>();
  /** What the process did beside the run that this is the set-up of: it is found by its very input only, for when is not recorded. */
  private readonly besideRun = new Set<string>();
  /** What answered a call with another input, because it was next in line, and has not answered its own. */
  private readonly takenByTurn = new Set<string>();
  private spanIds: Set<string> | undefined;

  constructor(recording: Recording, root: Crossing, options: LookUpOptions = {}) {
    this.root = root;
    this.comparer = new InputComparer(options.ignoredPathsOf);
    this.isBesideOthers = options.isBesideOthers;
    this.times = options.times;
    this.isTolerant = options.profile === 'edit-tolerant';
    this.subtree = subtreeOf(recording, root.spanId);
    const { setUp, ...others } = options;
    if (setUp !== undefined) {
      this.setUp = new LookUp(recording, setUp.processRun, others);
      for (const { spanId } of setUp.beside) this.setUp.besideRun.add(spanId);
      for (const { spanId } of setUp.afterwards) this.setUp.laterOn.add(spanId);
      this.setUp.isOrdered = !isPolling(setUp.crossings.filter(({ parentSpanId }) => parentSpanId === setUp.spanId));
    }
    for (const crossing of this.subtree) {
      if (crossing === root || crossing.parentSpanId === undefined) continue;
      const label = crossingLabel(crossing);
      const siblings = this.siblings.get(crossing.parentSpanId) ?? new Map<string, CrossingGroup>();
      this.siblings.set(crossing.parentSpanId, siblings);
      this.addTo(siblings, label, crossing);
      this.addTo(this.everywhere, label, crossing);
      this.consumed.add(crossing, crossing.parentSpanId);
    }
  }

  private addTo(groups: Map<string, CrossingGroup>, key: string, crossing: Crossing): void {
    const isMet = ({ spanId }: Crossing): boolean => this.consumed.isMet(spanId);
    const isGone = (one: Crossing): boolean => isMet(one) && !this.takenByTurn.has(one.spanId);
    const group = groups.get(key) ?? new CrossingGroup(this.comparer, { isMet, isGone });
    group.add(crossing);
    groups.set(key, group);
  }

  /** Whether the run's own boundary has been entered. */
  get rootMet(): boolean {
    return this.consumed.has(this.root.spanId);
  }

  /** Whether something of the run was recorded that has not been called yet. */
  get hasLeft(): boolean {
    return this.consumed.size < this.subtree.length;
  }

  /** The same, without what began behind the last that is known of an answer which went on when the process was killed: it may have come of the rest of that. */
  get hasLeftWithinKnown(): boolean {
    if (!this.hasLeft) return false;
    const met = this.subtree.filter(({ spanId }) => this.consumed.isMet(spanId));
    const ends = met.map(knownUntil).filter((end) => end !== undefined);
    const isWithin = ({ startTimeUnixNano }: Crossing): boolean => ends.every((end) => startTimeUnixNano < end);
    return this.subtree.some((crossing) => !this.consumed.has(crossing.spanId) && isWithin(crossing));
  }

  /** Whether something inside a recorded crossing has not been called yet, but for what processes did that were started there. */
  hasLeftInside(spanId: string): boolean {
    return this.consumed.hasLeftInside(spanId);
  }

  /** Whether a call without a position is made before the run has begun: it has lost no context, it is none of the run's. */
  private isBeforeRun(cursor: string | undefined): boolean {
    return cursor === undefined && this.isBeforeRoot();
  }

  private isFree(crossing: Crossing, cursor: string): boolean {
    return !this.laterOn.has(crossing.spanId) && this.consumed.isFree(crossing.spanId, cursor);
  }

  /** Whether the run has ended. */
  get hasEndedRun(): boolean {
    return this.hasEnded;
  }

  /** The run has ended: what its process goes on to do is looked up in what it did then. */
  endsRun(): void {
    this.hasEnded = true;
    this.setUp?.laterOn.clear();
  }

  /** Whether a cursor, or the span id of a crossing, is of what came before the run. */
  isSetUp(spanId: string | undefined): boolean {
    return spanId !== undefined && this.setUp?.holds(spanId) === true;
  }

  private holds(spanId: string): boolean {
    this.spanIds ??= new Set(this.subtree.map((crossing) => crossing.spanId));
    return this.spanIds.has(spanId);
  }

  /** Looks a live call up. Consumes nothing: the caller does, once it knows what happens to it. */
  find(inquiry: Inquiry): LookUpResult {
    const { setUp } = this;
    if (setUp === undefined || inquiry.cursor === undefined || !setUp.holds(inquiry.cursor))
      return this.findHere(inquiry);
    const found =
      setUp.findAtItsTime(inquiry) ?? setUp.findHere(this.rootMet ? setUp.preferringBeside(inquiry) : inquiry);
    // A poll before the run is answered as those before it were, and not as one that came later.
    const isLater = !this.rootMet && found.type === 'found' && setUp.besideRun.has(found.recorded.spanId);
    const before = isLater ? setUp.metBefore(inquiry) : undefined;
    if (before !== undefined) return before;
    if (inquiry.cursor !== setUp.root.spanId || (found.type === 'found' && found.comparison.type === 'equal'))
      return found;
    const again = setUp.metBefore(inquiry);
    if (again !== undefined || this.isBeforeRoot() || this.isBesideOthers?.() === true) return again ?? found;
    // The process goes on beside the run, or the call has lost its context: then it is looked up as if nothing came before.
    const ofRun = this.findHere({ ...inquiry, cursor: undefined });
    return ofRun.type === 'found' && (ofRun.comparison.type === 'equal' || !this.wasCalledBeside(inquiry))
      ? ofRun
      : (setUp.laterEqual(inquiry) ?? {
          type: 'missing',
          reason: 'never-recorded',
          under: setUp.root.spanId,
          closest: undefined,
        });
  }

  /** What only reads and began with this very input after the end of the run: a timer beside the run makes it a little earlier than it did. */
  private laterEqual({ cursor = '', input, ...named }: Inquiry): LookUpResult | undefined {
    const group = this.siblings.get(cursor)?.get(crossingLabel(named));
    const isLater = ({ spanId, effect }: Crossing): boolean =>
      this.laterOn.has(spanId) && !this.consumed.has(spanId) && !changesTheWorld(effect);
    const recorded = group?.withInput(input, isLater);
    return recorded && { type: 'found', ...this.matched(recorded, 'input', input, false), overtakenBy: undefined };
  }

  /**
   * Whether a call that was looked up under this is one of the process once the run is over: the run is what is compared. A process that
   * had done nothing before the run has no place of its own; there it is what nothing encloses. `cursor`: where it was made.
   */
  isAfterRun(under: string, cursor: string | undefined): boolean {
    if (!this.hasEnded) return false;
    return this.setUp === undefined ? this.beginsHere && cursor === undefined : under === this.setUp.root.spanId;
  }

  /**
   * Where code stands by itself, whatever it calls. behind: the run has ended, and it is the run's, in no part of it that goes on, or no other
   * run goes on; beside: it is of no run while one goes on; before: it is of no run, and none has begun; within: all else. `cursor`: where it
   * stands.
   */
  standing(cursor: string | undefined): 'within' | 'before' | 'beside' | 'behind' {
    const isProcess = !this.isElsewhere && crossingLabel(this.root) === PROCESS_RUN_LABEL;
    const isOutside = this.isSetUp(cursor) || (cursor === undefined && !isProcess);
    // What a request set going is compared behind its answer, too, and has a span that tells what it does.
    if (cursor !== undefined && this.consumed.isGoingOn(cursor)) return 'within';
    if (this.hasEnded && (!isOutside || this.isBesideOthers?.() !== true)) return 'behind';
    if (!isOutside) return 'within';
    return this.rootMet ? 'beside' : 'before';
  }

  /** The latest crossing that this very call has met already: what polls goes on for as long as the process does. */
  private metBefore({ cursor = '', input, ...named }: Inquiry): LookUpResult | undefined {
    const group = this.siblings.get(cursor)?.get(crossingLabel(named));
    const recorded = group?.members.findLast(
      (crossing) =>
        this.consumed.isMet(crossing.spanId) &&
        !changesTheWorld(crossing.effect) &&
        this.comparer.compare(crossing, input).type === 'equal',
    );
    if (recorded === undefined) return undefined;
    const comparison = this.comparer.compare(recorded, input);
    return {
      type: 'found',
      recorded,
      rung: 'input',
      comparison,
      ambiguous: false,
      overtakenBy: undefined,
      isAgain: true,
    };
  }

  /**
   * Of equal calls that timers make, the one of the time at which this is made: where a replay makes one more of them, or one less, all behind it would be
   * answered by another one's. One that is made before its time is answered as the one before it.
   */
  private findAtItsTime(inquiry: Inquiry): LookUpResult | undefined {
    const { times } = this;
    const { cursor = '', input } = inquiry;
    if (this.isOrdered || times === undefined) return undefined;
    const members = this.siblings.get(cursor)?.get(crossingLabel(inquiry))?.members ?? [];
    const equal = members.filter((crossing) => this.comparer.isSameText(crossing, input));
    if (equal.length < 2) return undefined;
    const free = equal.filter((crossing) => this.isFree(crossing, cursor));
    const recorded = callOfItsTime({ equal, free, nowUs: times.nowUs(), startUs: times.startUs });
    if (recorded === undefined) return this.metBefore(inquiry);
    return { type: 'found', ...this.matched(recorded, 'input', input, false), overtakenBy: undefined };
  }

  /** What polls is answered while the run goes on as it was then, rather than as before. */
  private preferringBeside(inquiry: Inquiry): Inquiry {
    return { ...inquiry, prefers: ({ spanId }) => this.besideRun.has(spanId) };
  }

  /** Whether the process called such a thing beside the run, too: with another input than any of the run's it is that, and takes no turn there. */
  private wasCalledBeside(named: Pick<Inquiry, 'kind' | 'name'>): boolean {
    return calledBeside(this.root).has(crossingLabel(named));
  }

  private isBeforeRoot(): boolean {
    return this.beginsHere && !this.rootMet;
  }

  private findHere(inquiry: Inquiry): LookUpResult {
    const label = crossingLabel(inquiry);
    if (inquiry.cursor === undefined && !this.rootMet && label === crossingLabel(this.root)) {
      const comparison = this.comparer.compare(this.root, inquiry.input);
      const rung = comparison.type === 'equal' ? 'input' : 'order';
      return { type: 'found', recorded: this.root, rung, comparison, ambiguous: false, overtakenBy: undefined };
    }
    if (this.isBeforeRun(inquiry.cursor)) {
      return { type: 'missing', reason: 'never-recorded', under: BEFORE_RUN, closest: undefined };
    }
    const under = inquiry.cursor ?? this.root.spanId;
    const here = this.siblings.get(under)?.get(label);
    const chosen = this.choose(here, under, inquiry);
    const found = this.chooseInlined(label, inquiry, chosen) ?? chosen ?? this.chooseElsewhere(label, inquiry);
    if (found !== undefined) return { type: 'found', ...found, overtakenBy: this.overtaking(found) };
    if (here === undefined && inquiry.cursor === undefined && label === crossingLabel(this.root)) {
      return { type: 'missing', reason: 'exhausted', under, closest: this.root };
    }
    const reason = here === undefined ? 'never-recorded' : 'exhausted';
    const sameLabel = here ?? this.everywhere.get(label);
    const closest = sameLabel?.members.at(-1);
    if (closest !== undefined) return { type: 'missing', reason, under, closest };
    const siblings = this.consumed.inside(under);
    const isLeft = ({ spanId }: Crossing): boolean => !this.consumed.has(spanId);
    const near = closestCrossing(inquiry, { siblings, isLeft, all: this.subtree, comparer: this.comparer });
    return { type: 'missing', reason, under, ...near };
  }

  private choose(group: CrossingGroup | undefined, under: string, inquiry: Inquiry): Found | undefined {
    const isFree = (crossing: Crossing): boolean => this.isFree(crossing, under);
    const isInLine = (crossing: Crossing): boolean => !this.besideRun.has(crossing.spanId) && isFree(crossing);
    if (group === undefined) return undefined;
    const { toolCallId, input } = inquiry;
    const sameCall = toolCallId === undefined ? undefined : group.withToolCallId(toolCallId, isFree);
    if (sameCall !== undefined) return this.matched(sameCall, 'tool-call-id', input, false);
    const { prefers = () => false } = inquiry;
    const isPreferred = (crossing: Crossing): boolean => prefers(crossing) && isInLine(crossing);
    const hasPreference = inquiry.prefers !== undefined;
    const isWanted = (crossing: Crossing): boolean => prefers(crossing) && isFree(crossing);
    const preferred = hasPreference ? group.withInput(input, isWanted) : undefined;
    if (preferred !== undefined) return this.matched(preferred, 'input', input, false);
    const earliestPreferred = hasPreference ? group.earliest(isPreferred) : undefined;
    const earliest = earliestPreferred ?? group.earliest(isInLine);
    // The next one in line has this very input nearly always: of those that are equal it is the first, and nothing is indexed.
    const isNext = earliest !== undefined && this.comparer.isSameText(earliest, input);
    const equal = isNext ? earliest : group.withInput(input, isFree);
    if (equal !== undefined) return this.matched(equal, 'input', input, false);
    const takenBack = this.takenByTurn.size === 0 ? undefined : this.takenBack(group, input);
    if (takenBack !== undefined || earliest === undefined) return takenBack;
    if (this.isTolerant && inquiry.kind === 'model') {
      // Its place and its tools say which call it is; a prompt that was changed on purpose says nothing.
      const hasSameTools = (recorded: Crossing): boolean =>
        isInLine(recorded) && sameTools(this.comparer.trees(recorded, input));
      const recorded = hasSameTools(earliest) ? earliest : group.members.find(hasSameTools);
      return this.matched(recorded ?? earliest, 'order', input, false);
    }
    const isAmbiguous = group.hasOtherThan(earliest, earliestPreferred === undefined ? isInLine : isPreferred);
    return this.matched(earliest, 'order', input, isAmbiguous);
  }

  /**
   * What is recorded for this very input, and went to a call with another one: that one differs and is told of, and with it all behind it would be
   * given what belongs to the call before (docs/adr/0063).
   */
  private takenBack(group: CrossingGroup, input: LiveInput): Found | undefined {
    const recorded = group.withInput(input, ({ spanId }) => this.takenByTurn.has(spanId));
    return recorded && { ...this.matched(recorded, 'input', input, false), isTakenBack: true };
  }

  private matched(recorded: Crossing, rung: LookUpRung, input: LiveInput, ambiguous: boolean): Found {
    return { recorded, rung, comparison: this.comparer.compare(recorded, input), ambiguous };
  }

  /**
   * A call that only its turn would find here, and that is exactly one of an agent which nothing has called: the agent's code was moved up.
   * Only where that is beyond doubt, by all that a model is told or by the model's own call; an equal argument may be chance.
   */
  private chooseInlined(label: string, inquiry: Inquiry, chosen: Found | undefined): Found | undefined {
    if (chosen?.rung !== 'order' || (inquiry.kind !== 'model' && inquiry.toolCallId === undefined)) return undefined;
    const isThis = ({ spanId, parentSpanId = '', toolCallId }: Crossing): boolean =>
      !this.consumed.has(spanId) &&
      !this.consumed.has(parentSpanId) &&
      !this.laterOn.has(spanId) &&
      (inquiry.kind === 'model' || toolCallId === inquiry.toolCallId) &&
      this.subtree.some((around) => around.spanId === parentSpanId && around.kind === 'agent');
    const recorded = this.everywhere.get(label)?.withInput(inquiry.input, isThis);
    return recorded && this.matched(recorded, 'moved', inquiry.input, false);
  }

  /** Nothing under the cursor: exactly this call, recorded somewhere else in the run and not met yet. */
  private chooseElsewhere(label: string, inquiry: Inquiry): Found | undefined {
    const isFree = ({ spanId }: Crossing): boolean => !this.consumed.has(spanId) && !this.laterOn.has(spanId);
    const equal = this.everywhere.get(label)?.withInput(inquiry.input, isFree);
    return equal === undefined ? undefined : this.matched(equal, 'moved', inquiry.input, false);
  }

  /** Recorded spans that overlap have no order; only one that had ended before the other began can be overtaken. */
  private overtaking({ recorded, rung, isTakenBack }: Found): Crossing | undefined {
    if (
      isTakenBack === true ||
      rung === 'moved' ||
      recorded.parentSpanId === undefined ||
      recorded.outcome.type === 'pending'
    )
      return undefined;
    if (!this.isOrdered || this.besideRun.has(recorded.spanId)) return undefined;
    const latest = this.consumed.latestMetInside(recorded.parentSpanId);
    const overtaken = latest !== undefined && recorded.endTimeUnixNano <= latest.startTimeUnixNano;
    return overtaken && recorded.order < latest.order ? latest : undefined;
  }

  /** Marks a crossing as met; `whole` when it was served or refused, which covers everything recorded inside it. */
  consume(found: ToConsume, whole: boolean): void {
    const { recorded } = found;
    if (this.setUp?.holds(recorded.spanId) === true) {
      this.setUp.consume(found, whole);
      return;
    }
    if (this.takenByTurn.delete(recorded.spanId)) return;
    // A prompt that may differ is told of in no divergence, so that the next one too many has to be.
    const isTold = !(this.isTolerant && recorded.kind === 'model');
    const isAnothers = isTold && found.rung === 'order' && found.comparison?.type === 'changed';
    // What was delivered inside has reached its handlers, which are called once.
    if (isAnothers && whole && this.deliveriesUnder(recorded.spanId).length === 0)
      this.takenByTurn.add(recorded.spanId);
    const isInOrder = found.rung !== 'moved' && !this.besideRun.has(recorded.spanId);
    this.consumed.meet(recorded, whole, isInOrder);
  }

  /** The code of a crossing has ended. */
  ended({ spanId }: Crossing): void {
    this.consumed.ended(spanId);
  }

  /** Marks a crossing, and all inside it, as met by another process of the replay: no call of this one finds it any more. */
  metElsewhere(crossing: Crossing): void {
    const { spanId } = crossing;
    if (this.setUp?.holds(spanId) === true) {
      this.setUp.metElsewhere(crossing);
      return;
    }
    if (crossing === this.root) this.isElsewhere = true;
    this.consumed.metElsewhere(spanId);
  }

  /** What was delivered directly inside a crossing, in the order in which it came. */
  deliveriesUnder(spanId: string): readonly Crossing[] {
    if (this.setUp?.holds(spanId) === true) return this.setUp.deliveriesUnder(spanId);
    return this.consumed.inside(spanId).filter(isMadeByStub);
  }

  /** The signals that came while the code of a crossing ran, in the order in which they came. */
  signalsUnder(spanId: string): readonly Crossing[] {
    return this.consumed.inside(spanId).filter(isSignalDelivery);
  }

  /** What the process was given of its standard input while the code of a crossing ran, in the order in which it came. */
  inputUnder(spanId: string): readonly Crossing[] {
    return this.consumed.inside(spanId).filter(isInputDelivery);
  }

  /** Nothing calls this crossing. */
  leaveOut({ spanId }: Crossing): void {
    this.consumed.leaveOut(spanId);
  }

  /** The first such crossing directly under a cursor that nothing has called. */
  uncalledUnder(cursor: string, isSuch: (crossing: Crossing) => boolean): Crossing | undefined {
    return this.consumed.inside(cursor).find((child) => !this.consumed.has(child.spanId) && isSuch(child));
  }

  /** How many crossings of a label were recorded directly under a cursor. */
  countUnder(cursor: string, label: string): number {
    const here = this.isSetUp(cursor) ? this.setUp?.siblings : this.siblings;
    return here?.get(cursor)?.get(label)?.members.length ?? 0;
  }
}
