import { type Position, pristine, type TimerKey, type WorkKey } from '@reenact/instrumentation';
import {
  type ClockFunction,
  type Crossing,
  crossingLabel,
  PROCESS_RUN_LABEL,
  type RandomFunction,
  type ReadingFunction,
  type RecordedDraws,
  type RecordedTickOrigin,
  type Recording,
  type TickFunction,
} from '@reenact/trace-model';
import { runsBesideOf } from '@reenact/trace-model/reading';
import type { EventSink } from '../events/event-sink.ts';
import { TIMER_TOLERANCE_US, WORK_GIVEN_UP_MAX } from '../limits.ts';
import { cutOffProcess } from '../recorded/cut-off-process.ts';
import { drawnOutside } from './recorded/continued-draws.ts';
import { EventOwners } from './recorded/event-owners.ts';
import { isOverAtOnce, type RecordedEvent } from './recorded/recorded-events.ts';
import type { SeededRandom } from './recorded/seeded-random.ts';
import { ServedAnswers } from './recorded/served-answers.ts';
import { ServedDraws } from './recorded/served-draws.ts';
import { ServedTimers } from './recorded/served-timers.ts';
import { ServedWork } from './recorded/served-work.ts';
import type { ArmedTimer, RecordedTimer, TimerOptions } from './recorded/timer-place.ts';
import type { ReleaseSchedule } from './schedule/release-schedule.ts';
import type { RunClock } from './schedule/run-clock.ts';
import { TickClock } from './schedule/tick-clock.ts';

/** What the time of one replayed run is made of. */
export interface RunTimeOptions {
  readonly recording: Recording;
  readonly rootSpanId: string;
  readonly clock: RunClock;
  readonly schedule: ReleaseSchedule;
  readonly sink: EventSink;
  /** Recordings of the same process that may carry what code of this run drew once its crossing had ended. */
  readonly beside?: readonly Recording[] | undefined;
}

/** What the process had drawn in no run, as far as the replayed one and those beside it hold it. */
function drawnInNone(recording: Recording, root: Crossing | undefined): RecordedDraws | undefined {
  if (root === undefined) return undefined;
  return drawnOutside([root, ...runsBesideOf(recording, root.spanId).runs.map((run) => run.root)]);
}

/** Said by recordings of before where code of a crossing ran in a context of `node:vm`: what it read there is not in them. */
const UNREAD_CONTEXT =
  '/draws/node:vm the clock and the random numbers of code in a context of its own are not recorded';

type Treatment = 'stub' | 'live' | 'rerun';

/** Clock, timers and random sources of one replayed run, as the code at a position of it sees them. */
export class RunTime {
  readonly clock: RunClock;
  /** Whether timers of the run are armed here, and fire in recorded order. */
  isVirtual = false;
  readonly ticks: TickClock;
  /** Whether the recording holds what was read and drawn in contexts of `node:vm`. */
  readonly hasContexts: boolean;
  /** Whether the spans of the app's own SDK drew beside the run when it was recorded. */
  readonly leavesOutSpans: boolean;
  private readonly rootSpanId: string;
  private readonly schedule: ReleaseSchedule;
  private readonly sink: EventSink;
  private readonly recording: Recording;
  private readonly ofProcess: RecordedDraws | undefined;
  private readonly draws: ServedDraws;
  private readonly timers: ServedTimers;
  private readonly owners: EventOwners;
  private readonly isServed = (spanId: string): boolean => this.treatments.get(spanId) === 'stub';
  private readonly work: ServedWork;
  private readonly answers: ServedAnswers;
  private readonly treatments = new Map<string, Treatment>();
  private readonly noted = new Set<string>();
  private readonly hasDraws: boolean;
  /** Where code stands that no context reaches: inside the run, where the run is the whole process. */
  private processSpanId: string | undefined;
  private process: 'run' | 'child' | 'other' | undefined;
  private startedBy: number | undefined;
  private known: number | 'own' | undefined;
  private isWithoutChannels = false;
  private isWithoutAnswers = false;
  private latestReadMs = Number.NEGATIVE_INFINITY;

  constructor({ recording, rootSpanId, clock, schedule, sink, beside }: RunTimeOptions) {
    const root = recording.bySpanId.get(rootSpanId);
    this.clock = clock;
    this.ticks = new TickClock(clock, () => this.tickOrigin());
    this.rootSpanId = rootSpanId;
    this.schedule = schedule;
    this.sink = sink;
    this.recording = recording;
    this.ofProcess = drawnInNone(recording, root);
    this.draws = new ServedDraws(recording, this.ofProcess, beside);
    this.timers = new ServedTimers(recording, root?.startTimeUnixNano ?? 0n);
    this.owners = new EventOwners(recording);
    this.work = new ServedWork(recording, root?.startTimeUnixNano ?? 0n);
    this.answers = new ServedAnswers(recording, root?.startTimeUnixNano ?? 0n);
    this.hasContexts = !recording.crossings.some(({ lossy }) => lossy.includes(UNREAD_CONTEXT));
    this.leavesOutSpans = recording.crossings.some(({ draws }) => draws?.besideSpans === true);
    this.hasDraws = root?.draws !== undefined;
    this.processSpanId = root !== undefined && crossingLabel(root) === PROCESS_RUN_LABEL ? rootSpanId : undefined;
  }

  /** Says which recorded run this process is, where it is not the root: its code draws what was drawn there. */
  inProcessRun(spanId: string): void {
    this.processSpanId = spanId;
  }

  /**
   * Says that this process does nothing but the replay. `of`: the run began in it, or started it, or it is another program, which may start that of
   * the run. `startedBy`: the real number of the process that started it, where that is of the replay, too.
   */
  ownsProcess(of: 'run' | 'child' | 'other', startedBy?: number): void {
    this.process = of;
    this.startedBy = startedBy;
  }

  /** Says by which number who started this process knows it; `own`: by that which it has. */
  knownBy(number: number | 'own'): void {
    this.known = number;
  }

  /** Remembers how a recorded crossing was answered; undefined: it has ended. */
  treated(spanId: string, treatment: Treatment | undefined): void {
    if (treatment === undefined) this.treatments.delete(spanId);
    else this.treatments.set(spanId, treatment);
  }

  /** A clock read, whole milliseconds since 1970: the recorded one, then what the virtual clock shows. */
  readDate(position: Position | undefined, name: ClockFunction): number {
    const spanId = this.nearest(position);
    const recorded = this.draws.time(spanId, name);
    if (recorded !== undefined) {
      this.latestReadMs = Math.max(this.latestReadMs, recorded);
      // What was read before the run, without a recorded run of the process around it, is no event of this one.
      if (spanId !== undefined) this.happenedAt(recorded - this.draws.skewMs(spanId));
      return recorded;
    }
    if (spanId === undefined) this.noteOutside();
    else this.noteClock();
    // The clock an agent reads never runs backwards, whichever of the two its reads came from.
    this.latestReadMs = Math.max(this.latestReadMs, Math.floor(this.clock.readUnixMs));
    return this.latestReadMs;
  }

  /** Milliseconds to take from a clock read there to get a time as the recorded spans have it. */
  skewMs(position: Position | undefined): number {
    return this.draws.skewMs(this.nearest(position));
  }

  /**
   * A read of a clock that only runs forward, nanoseconds since its zero: the recorded one, then what the virtual clock shows.
   * `origin`: where that zero is; undefined where no such clock was read when the run was recorded.
   */
  readTick(
    position: Position | undefined,
    name: TickFunction,
  ): { nano: number; origin: RecordedTickOrigin | undefined } {
    const spanId = this.nearest(position);
    const recorded = this.draws.tick(spanId, name);
    const origin = (recorded === undefined ? undefined : this.draws.tickOrigin(spanId)) ?? this.ticks.origin;
    if (recorded === undefined) {
      if (spanId !== undefined && this.treatments.get(spanId) !== 'live') this.noteClock();
      return { nano: this.ticks.nowNano(), origin };
    }
    // Its zero is a few milliseconds before the one of the others.
    if (name !== 'process.uptime') this.ticks.reach(recorded);
    if (origin !== undefined && spanId !== undefined) this.happenedAt(TickClock.unixMs(recorded, origin));
    return { nano: recorded, origin };
  }

  /** Something is known to have happened at this time by the clock of the spans, milliseconds since 1970. */
  private happenedAt(unixMs: number): void {
    this.schedule.happenedAt((unixMs - this.clock.startUnixMs) * 1_000 - TIMER_TOLERANCE_US);
  }

  private tickOrigin(): RecordedTickOrigin | undefined {
    const own = this.draws.tickOrigin(this.processSpanId) ?? this.draws.tickOrigin(this.rootSpanId);
    if (own !== undefined) return own;
    for (const { draws } of this.recording.bySpanId.values()) if (draws?.ticks !== undefined) return draws.ticks;
    return undefined;
  }

  private noteClock(): void {
    this.note(
      'clock',
      'Clock reads that were not recorded saw virtual time: the recorded time of the latest event, and what has passed since.',
      false,
    );
  }

  /** No run is around it: the start of a service, which draws in its framework, or what is left when the run is over. */
  private noteOutside(): void {
    this.note(
      'outside',
      this.ofProcess === undefined
        ? 'Outside the run no clock reads and no random values are recorded: code there saw virtual time and seeded values.'
        : 'Outside the run the clock was read or random values were drawn beyond what is recorded there: such code saw virtual time and seeded values.',
      false,
    );
  }

  /** Where a timer that is set now stood when the run was recorded; undefined where that is not known. Asked once for each. */
  recordedTimer(position: Position | undefined, key: TimerKey): RecordedTimer | undefined {
    const spanId = this.nearest(position);
    // Beside what runs live timers take as long as they say.
    if (spanId === undefined || this.isLiveAt(position)) return undefined;
    const isOutside = this.isOutside(spanId);
    const { reached } = this.schedule;
    const isToCome = (order: number): boolean =>
      isOutside || (!reached.isEnding(order) && this.owners.comes(order, this.isServed));
    const recorded = this.timers.take(spanId, key, reached.count(isOutside), isToCome);
    return isOutside && recorded !== undefined ? { ...recorded, isOutside } : recorded;
  }

  /** The same of work outside JavaScript that begins now. */
  recordedWork(position: Position | undefined, key: WorkKey): RecordedEvent | undefined {
    const spanId = this.nearest(position);
    if (spanId === undefined || this.isLiveAt(position) || this.hasGivenUpWork()) return undefined;
    const isOutside = this.isOutside(spanId);
    const taken = this.work.take(spanId, key, this.schedule.reached.count(isOutside));
    if (taken === undefined || isOverAtOnce(taken)) return undefined;
    const recorded = isOutside ? { ...taken, isOutside } : taken;
    return this.schedule.isBesideWorkAfter(recorded) ? undefined : recorded;
  }

  /** Where what comes over a channel stood that code at this position asks over; undefined where that is not known. Take what has come out of the list. */
  recordedAnswers(position: Position | undefined, channel: object): RecordedEvent[] | undefined {
    const spanId = this.placeOfAnswers(position);
    return spanId === undefined ? undefined : this.answers.over(spanId, channel);
  }

  /** Where something came for the resource of this type that code at this position makes now. Asked once for each. */
  recordedEntries(position: Position | undefined, type: string): RecordedEvent[] {
    const spanId = this.placeOfAnswers(position);
    return spanId === undefined ? [] : this.answers.forResource(spanId, type);
  }

  /** Where something was said to the question with an id that code at this position asks now. Asked once for each. */
  recordedReplies(position: Position | undefined): RecordedEvent[] {
    const spanId = this.placeOfAnswers(position);
    return spanId === undefined ? [] : this.answers.toQuestion(spanId);
  }

  private placeOfAnswers(position: Position | undefined): string | undefined {
    const spanId = this.nearest(position);
    return spanId === undefined || this.isLiveAt(position) || this.isOutside(spanId) ? undefined : spanId;
  }

  /** Whether what threads, ports and processes say has no place any more. `isOwn`: to a question or for a resource of the run. */
  hasGivenUpAnswers(isOwn: boolean): boolean {
    return isOwn ? this.isWithoutAnswers : this.isWithoutChannels;
  }

  /**
   * Something that was recorded to be said has not come: from now on what is said comes as it comes. A pool ends and starts threads as they are free, and so says other
   * things over their channels; what it gives to the run's own questions and resources keeps its places then.
   */
  gaveUpAnswers(isOwn: boolean): void {
    this.isWithoutChannels = true;
    this.isWithoutAnswers ||= isOwn;
    this.note(
      'answers',
      'What a thread, a port or a process said when the run was recorded did not come; what they said from there on came in an order of its own.',
      false,
    );
  }

  /**
   * Whether it stands in what the process does outside of the run, whose events have numbers of their own. Those tell something where it polls: of a process that
   * does not, what beats every few milliseconds would all catch up as the run begins.
   */
  private isOutside(spanId: string): boolean {
    const { beforeRun, timeline } = this.schedule;
    return beforeRun.isOfPolling && !timeline.isOfRun(spanId);
  }

  /** Work has begun at its place, and does not end. */
  gaveUpWork(): void {
    this.schedule.rules.workGivenUp += 1;
  }

  private hasGivenUpWork(): boolean {
    if (this.schedule.rules.workGivenUp < WORK_GIVEN_UP_MAX) return false;
    this.note(
      'work',
      'Work outside JavaScript (files, compression, cryptography) ended in another order than when it was recorded: what came before some of it did not come any more.',
      false,
    );
    return true;
  }

  /** When what came so long after the beginning of the call around it came in the run; undefined where that is not known. */
  deliveredUs(position: Position | undefined, afterUs: number | undefined): number | undefined {
    const around = this.recording.bySpanId.get(this.nearest(position) ?? '');
    if (around === undefined || afterUs === undefined) return undefined;
    return this.schedule.timeline.startUs(around) + afterUs;
  }

  /** Whether the run has not been entered yet. */
  get isBeforeRun(): boolean {
    return this.clock.orderUs < 0;
  }

  /** Sets a timer of the agent's. */
  arm(options: TimerOptions): ArmedTimer {
    const fire: TimerOptions['fire'] = (began) => {
      this.note(
        'timers',
        'Timers of the run fired in virtual time: in the order of recorded time, without waiting for it.',
        false,
      );
      return options.fire(began);
    };
    return this.schedule.arm({ ...options, fire });
  }

  /** A number from 0 to below 1. Undefined: draw a real one. */
  random(position: Position | undefined): number | undefined {
    const recorded = this.draws.value(this.nearest(position), 'Math.random');
    if (typeof recorded === 'number') return recorded;
    return this.seeded(position, 'Math.random')?.number();
  }

  /** An integer from `from` to below `to`. Undefined: draw a real one. */
  randomInteger(position: Position | undefined, from: number, to: number): number | undefined {
    const recorded = this.draws.value(this.nearest(position), 'crypto.randomInt');
    if (typeof recorded === 'number' && recorded >= from && recorded < to) return recorded;
    return this.seeded(position, 'crypto.randomInt')?.integer(from, to);
  }

  /** A UUID. Undefined: draw a real one. */
  randomUuid(position: Position | undefined): string | undefined {
    const recorded = this.draws.value(this.nearest(position), 'crypto.randomUUID');
    if (typeof recorded === 'string') return recorded;
    return this.seeded(position, 'crypto.randomUUID')?.uuid();
  }

  /** Random bytes. Undefined: draw real ones. */
  randomBytes(position: Position | undefined, count: number): Uint8Array | undefined {
    const recorded = this.draws.bytes(this.nearest(position), count);
    return recorded ?? this.seeded(position, 'crypto.randomBytes')?.bytes(count);
  }

  /** Whether bytes that drivers make ids of are in this recording: else they are among the other random bytes, if anywhere. */
  hasDriverIds(): boolean {
    return this.draws.hasAny('driver.id');
  }

  /**
   * The bytes that a library makes an id of, which nobody but a server is to see. `isSeen`: whether the agent sees it, so that one which was not
   * recorded proves nothing. Undefined: draw real ones.
   */
  driverId(position: Position | undefined, count: number, isSeen: () => boolean): Uint8Array | undefined {
    const spanId = this.nearest(position);
    const recorded = this.draws.bytes(spanId, count, 'driver.id');
    if (recorded !== undefined) return recorded;
    if (isSeen()) return this.seeded(position, 'driver.id')?.bytes(count);
    return this.isLiveAt(position) ? undefined : this.draws.seededFor(spanId, 'driver.id').bytes(count);
  }

  /** What an id of MongoDB has beside its time, hexadecimal. Undefined: let it be drawn as its class does. */
  objectId(position: Position | undefined): string | undefined {
    const recorded = this.draws.value(this.nearest(position), 'ObjectId');
    if (typeof recorded === 'string' && /^[0-9a-f]{16}$/.test(recorded)) return recorded;
    // A recording of before has none: its ids are as they come, or as its random bytes make them.
    if (!this.draws.hasAny('ObjectId')) return undefined;
    const seeded = this.seeded(position, 'ObjectId')?.bytes(8);
    return seeded && Buffer.from(seeded).toString('hex');
  }

  /** What a function said of the machine or the process. Undefined: let it say what it says. */
  reading(position: Position | undefined, name: ReadingFunction): unknown {
    const recorded = this.draws.reading(this.nearest(position), name);
    return recorded === undefined ? undefined : JSON.parse(recorded);
  }

  /** The number that the process had in which code at this position ran. Undefined: it is not known, or what runs is live and meets others by its own. */
  processId(position: Position | undefined): number | undefined {
    if (this.known === 'own') return undefined;
    const recorded = this.recordedProcess(position)?.processId;
    return recorded ?? (this.isLiveAt(position) ? undefined : this.known);
  }

  /**
   * The number by which code at this position knew the process that it started next; each is given once. `own`: what runs is live, and knows
   * it by that which it has. Undefined: it is not recorded.
   */
  childProcessId(position: Position | undefined): number | 'own' | undefined {
    if (this.isLiveAt(position)) return 'own';
    // Of a process that is no known part of the run it is not known either what it started.
    const isUnknown = this.process === 'other' || (this.process === 'child' && this.processSpanId === undefined);
    const recorded = isUnknown ? undefined : this.reading(position, 'child_process.pid');
    return typeof recorded === 'number' ? recorded : undefined;
  }

  /** Tells the report that code of the run has started a process, by the number that this has now. */
  tellStarted(number: number): void {
    this.sink.write({ type: 'started', number });
  }

  /** The same of the process that had started it. */
  parentProcessId(position: Position | undefined): number | undefined {
    return this.recordedProcess(position)?.parentProcessId;
  }

  private recordedProcess(position: Position | undefined): Crossing | undefined {
    if (this.process === 'other' || this.isLiveAt(position)) return undefined;
    const { bySpanId } = this.recording;
    if (this.process === undefined) return bySpanId.get(this.nearest(position) ?? '');
    // Of a process that was started in the run, but not as a part of it that is known, the number is not known either.
    return (
      bySpanId.get(this.processSpanId ?? '') ?? (this.process === 'run' ? bySpanId.get(this.rootSpanId) : undefined)
    );
  }

  /** The number that a process has now which code at this position knows by the recorded one: this process, or the one that started it. Undefined: it is neither. */
  realProcessId(position: Position | undefined, recorded: number): number | undefined {
    if (recorded === this.processId(position)) return pristine.processId;
    const { bySpanId } = this.recording;
    const parent = bySpanId.get(bySpanId.get(this.processSpanId ?? '')?.parentSpanId ?? '');
    const isParent = this.process === 'child' && parent?.processId === recorded && !this.isLiveAt(position);
    if (isParent) return this.startedBy;
    return recorded === this.parentProcessId(position) ? pristine.parentProcessId : undefined;
  }

  /** Code is about to run in a context of `node:vm` whose clock and random numbers are its own. */
  noteContext(position: Position | undefined): void {
    const spanId = this.nearest(position);
    const path = spanId === undefined ? undefined : this.recording.bySpanId.get(spanId)?.path;
    if (path === undefined) return;
    const text = `Code of ${path} ran in a context of node:vm: it saw the real time and other random numbers than when it was recorded.`;
    this.note(`${path} node:vm`, text, false, path);
  }

  /** The run is over for this process: what is left of its timers never fires. */
  stop(): void {
    this.schedule.dropTimers();
  }

  private nearest(position: Position | undefined): string | undefined {
    return position?.cursor ?? this.processSpanId;
  }

  private isLiveAt(position: Position | undefined): boolean {
    const spanId = this.nearest(position);
    return position?.isLive === true || (spanId !== undefined && this.treatments.get(spanId) === 'live');
  }

  /** Stands in for what was not recorded. Code that runs live gets real values: what it makes leaves the replay. */
  private seeded(position: Position | undefined, name: RandomFunction): SeededRandom | undefined {
    if (this.isLiveAt(position)) return undefined;
    const spanId = this.nearest(position);
    this.noteSeeded(spanId, spanId === undefined ? undefined : this.treatments.get(spanId), name);
    return this.draws.seededFor(spanId, name);
  }

  private noteSeeded(spanId: string | undefined, treatment: Treatment | undefined, name: RandomFunction): void {
    if (spanId === undefined) {
      this.noteOutside();
      return;
    }
    const path = this.recording.bySpanId.get(spanId)?.path ?? 'a crossing that is not in the recording';
    const key = `${path} ${name}`;
    if (name === 'crypto.randomBytes') {
      const hint = 'REENACT_RECORD_RANDOM_BYTES=1 records them';
      this.note(
        key,
        `Random bytes drawn in ${path} were not recorded, so seeded ones were served; ${hint}.`,
        false,
        path,
      );
    } else if (!this.hasDraws) {
      this.note(name, `This recording holds no values of ${name}, so seeded ones were served.`, false);
    } else {
      // Code inside served crossings, and callbacks that outlive theirs, decide nothing that was not compared.
      const isInRun = treatment === 'rerun' && !this.isOfCutOff(spanId);
      const shown = name === 'driver.id' ? 'A UUID of a package' : name;
      const text = `${shown} was drawn more often in ${path} than when it was recorded; seeded values were served.`;
      this.note(key, text, isInRun, path);
    }
  }

  /** Whether it stands in a process that something ended: in a replay that may get a little further first. */
  private isOfCutOff(spanId: string): boolean {
    return cutOffProcess(this.recording, { spanId: this.rootSpanId }, spanId) !== undefined;
  }

  /** Notes once for each key. `path`: the crossing that the text names. */
  private note(key: string, text: string, unverified: boolean, path?: string): void {
    if (this.noted.has(key)) return;
    this.noted.add(key);
    this.sink.write({ type: 'note', text, ...(path === undefined ? {} : { path }), unverified });
  }
}
