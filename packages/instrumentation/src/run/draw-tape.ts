import {
  type ClockFunction,
  DRAWS_MARK,
  type DrawFunction,
  type LateDraws,
  type RandomFunction,
  type ReadingFunction,
  type RecordedTickOrigin,
  type TickFunction,
} from '@reenact/trace-model';
import { unixNanoNow } from '../host/monotonic-clock.ts';
import { DRAWN_CHARACTERS_MAX, DRAWS_MAX, TICKS_MAX, TIMERS_MAX, WORKS_MAX } from '../limits.ts';
import { tickOrigin } from './tick-origin.ts';
import { type EventOrder, type TimerKey, type TimerRecord, TimerTape, type WorkKey } from './timer-tape.ts';

/** The clock skew from which it is worth a member of the record. */
const skewMsMin = 2;

/** What has its own limit: times and random values, reads of clocks that only run forward, timers, or work outside JavaScript. */
export type KeptDraws = 'draws' | 'ticks' | 'timers' | 'work';

/** What gives draws: a function, a context of `node:vm`, which has functions of its own, as SQLite has, or what gives keys. */
export type DrawSource = DrawFunction | 'node:vm' | 'node:crypto' | 'SQLite';

function isDrawnBy(name: RandomFunction, value: unknown): value is number | string {
  switch (name) {
    case 'Math.random':
      return typeof value === 'number' && Number.isFinite(value);
    case 'crypto.randomInt':
      return Number.isSafeInteger(value);
    case 'crypto.randomUUID':
    case 'crypto.randomBytes':
    case 'ObjectId':
    case 'driver.id':
      return typeof value === 'string';
  }
}

/** How much of what a tape keeps of one kind is used. */
interface Used {
  count: number;
  characters: number;
}

/** How much of each kind one tape keeps. */
export interface DrawLimits {
  readonly draws: number;
  readonly ticks: number;
  readonly characters: number;
}

const limitsWithin: DrawLimits = { draws: DRAWS_MAX, ticks: TICKS_MAX, characters: DRAWN_CHARACTERS_MAX };

/** The member `late` of `reenact.draws`. */
export type LateMember = Readonly<Record<string, readonly LateDraws[]>>;

/** The members `timers` and `work` of `reenact.draws`. */
export interface TapedEvents {
  readonly timers?: Record<string, number[]>;
  readonly work?: Record<string, number[]>;
}

/** What `reenact.draws` holds beside what its crossing drew. */
export interface OtherMembers {
  /** What its crossing carries of others. */
  readonly late?: LateMember;
  /** On a root: where timers and work of code fired whose crossing had ended, by the span id of that. */
  readonly lateEvents?: Readonly<Record<string, TapedEvents>>;
  /** Whether the spans of the app's own SDK drew beside the run. */
  readonly besideSpans?: boolean;
}

/** What the code directly inside one crossing drew from the clock and from random sources, its timers and its work outside JavaScript, in order and bounded. */
export class DrawTape {
  private readonly limits: DrawLimits;
  private readonly times = new Map<ClockFunction, number[]>();
  private readonly latestMs = new Map<ClockFunction, number>();
  private readonly ticks = new Map<TickFunction, number[]>();
  private readonly latestNano = new Map<TickFunction, number>();
  private readonly values = new Map<RandomFunction | ReadingFunction, (number | string)[]>();
  private readonly lost = new Map<DrawSource, string>();
  private timerTape: TimerTape | undefined;
  private workTape: TimerTape<WorkKey> | undefined;
  private order: EventOrder | undefined;
  private skewMs: number | undefined;
  private shownOrigin: RecordedTickOrigin | undefined;
  private drawn: Used = { count: 0, characters: 0 };
  /** Apart: who samples the memory often draws no less for that. */
  private readings: Used = { count: 0, characters: 0 };
  private tickCount = 0;

  constructor(limits: DrawLimits = limitsWithin) {
    this.limits = limits;
  }

  /** Keeps one clock read, milliseconds since 1970. `skewMs`: by how much that clock is ahead of the one of the spans; default: as these show it now. */
  addTime(name: ClockFunction, timeMs: number, skewMs?: number): void {
    const latest = this.latestMs.get(name);
    const times = this.times.get(name);
    if (latest === timeMs && times !== undefined && !this.lost.has(name)) {
      times[times.length - 1] = (times.at(-1) ?? 0) + 1;
      return;
    }
    if (!Number.isSafeInteger(timeMs)) this.lose(name, 'a time that is no whole number');
    if (!this.hasRoom(name, 1, 0)) return;
    this.skewMs ??= skewMs ?? timeMs - Number(unixNanoNow() / 1_000_000n);
    this.latestMs.set(name, timeMs);
    if (times === undefined) this.times.set(name, [timeMs, 1]);
    else times.push(timeMs - (latest ?? 0), 1);
  }

  /** Keeps one read of a clock that only runs forward, nanoseconds since its zero. `origin`: where that is, where it is not that of this process. */
  addTick(name: TickFunction, nano: number, origin?: RecordedTickOrigin): void {
    if (this.lost.has(name)) return;
    if (!Number.isSafeInteger(nano)) {
      this.lose(name, 'a time that is no whole number of nanoseconds');
      return;
    }
    this.shownOrigin ??= origin;
    this.tickCount += 1;
    if (this.tickCount > this.limits.ticks) {
      this.lose(name, `more than ${this.limits.ticks} reads`);
      return;
    }
    const ticks = this.ticks.get(name);
    if (ticks === undefined) this.ticks.set(name, [nano]);
    else ticks.push(nano - (this.latestNano.get(name) ?? 0));
    this.latestNano.set(name, nano);
  }

  /** Keeps a timer that is set in the run which `order` numbers; undefined: none has begun. Gives nothing where it is not kept. */
  addTimer(key: TimerKey, order: EventOrder | undefined): TimerRecord | undefined {
    this.timerTape ??= new TimerTape(this.ordering(order), TIMERS_MAX);
    return this.timerTape.arm(key);
  }

  /** Keeps work outside JavaScript that begins, as `addTimer` keeps a timer. */
  addWork(key: WorkKey, order: EventOrder | undefined): TimerRecord | undefined {
    this.workTape ??= new TimerTape(this.ordering(order), WORKS_MAX);
    return this.workTape.arm(key);
  }

  /** What numbers the events: of no run, as long as none has begun. */
  private ordering(order: EventOrder | undefined): EventOrder {
    this.order ??= order ?? { nextSettled: 0 };
    return order ?? this.order;
  }

  /** Becomes part of a run that has begun. */
  follow(order: EventOrder): void {
    this.order = order;
    this.timerTape?.follow(order);
    this.workTape?.follow(order);
  }

  /** Keeps one random value; one that no such function gives, as a mock may, is lost. */
  addValue(name: RandomFunction, value: unknown): void {
    if (isDrawnBy(name, value)) this.reserve(name)(value);
    else this.lose(name, 'a value that no such function gives');
  }

  /** Keeps the JSON of what a function said of the machine or the process, whole or not at all; undefined, where it has none, is lost. */
  addReading(name: ReadingFunction, json: string | undefined): void {
    if (json === undefined) this.lose(name, 'a value that cannot be written down');
    else if (this.hasRoom(name, 1, json.length, this.readings)) this.valuesOf(name).push(json);
  }

  /** Keeps the place of a random value that is still to come; fill it once. */
  reserve(name: RandomFunction): (value: number | string) => void {
    if (!this.hasRoom(name, 1, 0)) return () => undefined;
    const values = this.valuesOf(name);
    const index = values.push('') - 1;
    return (value) => {
      // The place of a number was left for it a moment ago: only text takes room that was not counted yet.
      if (typeof value === 'number' || this.hasRoom(name, 0, value.length)) values[index] = value;
    };
  }

  private valuesOf(name: RandomFunction | ReadingFunction): (number | string)[] {
    const values = this.values.get(name) ?? [];
    this.values.set(name, values);
    return values;
  }

  /** Notes that draws of this source are not kept from here on, and why. */
  lose(name: DrawSource, why: string): void {
    if (!this.lost.has(name)) this.lost.set(name, why);
  }

  /** Has another tape keep nothing of what is not kept here any more. */
  protected loseIn(other: DrawTape): void {
    for (const [name, why] of this.lost) other.lose(name, why);
  }

  private hasRoom(name: DrawFunction, draws: number, characters: number, used = this.drawn): boolean {
    if (this.lost.has(name)) return false;
    used.count += draws;
    used.characters += characters;
    const { draws: drawsMax, characters: charactersMax } = this.limits;
    if (used.count <= drawsMax && used.characters <= charactersMax) return true;
    this.lose(name, `more than ${drawsMax} draws or ${charactersMax} characters of them`);
    return false;
  }

  /** Whether there is nothing to keep. */
  get isEmpty(): boolean {
    const hasEvents = this.timerTape !== undefined || this.workTape !== undefined;
    return this.times.size === 0 && this.ticks.size === 0 && this.values.size === 0 && !hasEvents;
  }

  /** Whether no more of these is kept. */
  isFullOf(kept: KeptDraws): boolean {
    if (kept === 'ticks') return this.tickCount > this.limits.ticks;
    if (kept === 'timers') return this.timerTape?.isFull === true;
    if (kept === 'work') return this.workTape?.isFull === true;
    return this.drawn.count > this.limits.draws || this.drawn.characters > this.limits.characters;
  }

  /** Marks for what was not kept, `/draws/<function> <reason>`. */
  marks(): string[] {
    return this.losses().map((loss) => `${DRAWS_MARK}${loss}`);
  }

  /** What was not kept, `<function> <reason>`. */
  losses(): string[] {
    return Array.from(this.lost, ([name, why]) => `${name} ${why}`);
  }

  /** The JSON of what was drawn so far, without timers and work; undefined where that is nothing. */
  drawnSoFar(): string | undefined {
    return this.hasDrawn ? JSON.stringify(this.members()) : undefined;
  }

  private get hasDrawn(): boolean {
    return this.times.size > 0 || this.ticks.size > 0 || this.values.size > 0;
  }

  /** The same as an object; undefined where that is nothing. */
  drawnYet(): object | undefined {
    return this.hasDrawn ? this.members() : undefined;
  }

  /** Begins anew with an empty tape, but for what is not kept any more: nobody could tell which of the next it is. */
  restart(): void {
    this.times.clear();
    this.latestMs.clear();
    this.ticks.clear();
    this.latestNano.clear();
    this.values.clear();
    this.skewMs = undefined;
    this.shownOrigin = undefined;
    this.drawn = { count: 0, characters: 0 };
    this.readings = { count: 0, characters: 0 };
    this.tickCount = 0;
  }

  /** The JSON of `reenact.draws`. `others`: what its crossing says beside its own. */
  text(others?: OtherMembers): string {
    return JSON.stringify({ ...this.members(), ...this.events(), ...others });
  }

  /** How many timers and pieces of work it holds. */
  get eventCount(): number {
    return (this.timerTape?.size ?? 0) + (this.workTape?.size ?? 0);
  }

  /** Its timers and its work, and what has become of them by now. */
  events(): TapedEvents {
    return {
      ...(this.timerTape !== undefined && { timers: this.timerTape.record() }),
      ...(this.workTape !== undefined && { work: this.workTape.record() }),
    };
  }

  private members(): object {
    const skew = this.skewMs !== undefined && Math.abs(this.skewMs) >= skewMsMin ? { skewMs: this.skewMs } : {};
    const [times, ticks, values] = [this.times, this.ticks, this.values].map((kept) => Object.fromEntries(kept));
    const origin = this.ticks.size > 0 && { ticks: this.shownOrigin ?? tickOrigin() };
    return { ...times, ...ticks, ...values, ...skew, ...origin };
  }
}
