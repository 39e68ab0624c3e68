import { readFileSync } from 'node:fs';
import { uptime } from 'node:os';
import { CLOCK_LEAP_MS } from '../limits.ts';
import type { RetentionAges } from '../store/store.ts';
import { correctionsOf, endEpoch, type ReceiptEpoch } from './receipt-epochs.ts';

/** The clocks of a system. */
export interface Clocks {
  /** Unix milliseconds, as somebody may set them. */
  readonly wallMs: () => number;
  /** Milliseconds since the machine started, asleep or not; never set. */
  readonly uptimeMs: () => number;
  /** Another one at each start of each machine; undefined where the system tells none. */
  readonly boot: () => string | undefined;
}

/** A leap ahead that is not believed yet. */
export interface DoubtedLeap {
  readonly aheadMs: number;
  /** For how long it has been there. */
  readonly heldMs: number;
  /** Whether the system's clock was set, and no time passed: what was received before it is corrected by it. */
  readonly isKnown?: boolean | undefined;
}

/** What outlives the process of what its clock knew. */
export interface RetentionTime {
  readonly wallMs: number;
  readonly uptimeMs: number;
  /** Which start of which machine the uptime counts from. */
  readonly boot?: string | undefined;
  /** For how long the machine has been seen on since it was last off. */
  readonly ranMs: number;
  /** Oldest first. */
  readonly doubts: readonly DoubtedLeap[];
  /** Whether it is only guessed when the clocks were so. */
  readonly isGuessed?: boolean | undefined;
  /** Since when, by it, nobody has set the system's clock. */
  readonly sinceMs?: number | undefined;
  /** What was before that; the oldest first. */
  readonly epochs?: readonly ReceiptEpoch[] | undefined;
  /** When it was found, by today's clock, that nobody knows any more how the clock was set before: what was received earlier counts as received then. */
  readonly lostMs?: number | undefined;
}

/** What a clock for retention begins with. */
export interface RetentionClockOptions {
  /** Where the clock of the last process was; undefined where nothing is known of it. */
  readonly last: RetentionTime | undefined;
  /** How long a leap ahead is doubted: until then nothing that was there before it is beyond its grace window. */
  readonly graceMs: number;
  /** Told how far the system's clock leapt ahead while it was followed. */
  readonly onLeap: (aheadMs: number) => void;
  readonly clocks?: Clocks;
}

/** More of them are one: each downtime of more than an hour is one, and is doubted for a grace window. */
const DOUBTS_MAX = 1000;

/**
 * How much of a downtime counts for leaps that were doubted before it: at most a day, and three times what the machine was on for. A machine
 * that starts again and again, each time with a clock further ahead, must not make up a grace window in minutes.
 */
const DOWNTIME_HELD_MAX_MS = 86_400_000;
const DOWNTIME_HELD_TIMES = 3;

const BOOT_ID_FILE = '/proc/sys/kernel/random/boot_id';

function readBoot(): string | undefined {
  try {
    return readFileSync(BOOT_ID_FILE, 'utf8').trim();
  } catch {
    return undefined;
  }
}

/** The clocks of this machine. */
const systemClocks: Clocks = { wallMs: () => Date.now(), uptimeMs: () => uptime() * 1000, boot: readBoot };

/** What the clocks said at one time. */
type ClockReading = Pick<RetentionTime, 'wallMs' | 'uptimeMs' | 'boot'>;

function readClocks(clocks: Clocks): ClockReading {
  return { wallMs: clocks.wallMs(), uptimeMs: clocks.uptimeMs(), boot: clocks.boot() };
}

function isSameBoot(last: ClockReading, now: ClockReading): boolean {
  return last.boot === undefined || now.boot === undefined || last.boot === now.boot;
}

/** How much time has passed for certain. */
function passedBetween(last: ClockReading, now: ClockReading): number {
  const isSame = isSameBoot(last, now);
  if (isSame && now.uptimeMs >= last.uptimeMs) return now.uptimeMs - last.uptimeMs;
  // A machine that has started again has been on for its whole uptime since, and for nobody knows how long before.
  if (isSame) return now.uptimeMs;
  // Or the directory is on another machine now, which was on beside the old one: its uptime would hide that its clock is wrong.
  return Math.min(now.uptimeMs, CLOCK_LEAP_MS, Math.max(0, now.wallMs - last.wallMs));
}

/** By how much the system's clock went on for more than the time that passed. */
function aheadBetween(last: ClockReading, now: ClockReading): number {
  return Math.round(now.wallMs - last.wallMs - passedBetween(last, now));
}

/** What to go on from where only a time is known, and nothing of the machine's clocks at that time. */
export function timeFrom(wallMs: number, clocks: Clocks = systemClocks): RetentionTime {
  return { ...readClocks(clocks), wallMs, ranMs: 0, doubts: [], isGuessed: true };
}

/** Likewise where what the clocks were is lost: whatever was received may have been so by a clock that was behind by years. */
export function timeFromLost(wallMs: number, clocks: Clocks = systemClocks): RetentionTime {
  return { ...timeFrom(wallMs, clocks), lostMs: clocks.wallMs() };
}

/**
 * The time by which runs are thinned out, which cannot be undone. It follows the system's clock, also back, but where that leaps ahead
 * it goes on at its own pace for a grace window: clocks that were set wrong are set right again by then. Over a restart the machine's
 * uptime says how much time passed. Where the machine was off, or is another one, only its clock says for how long, and that may be wrong: this
 * is a leap, too.
 * Where that says that a clock was set, what was received before is corrected by it for good, whichever of both times was the right one: a clock
 * that is set back, or that was behind and is set right, makes no run older than it is.
 * Each leap is doubted by itself, so a machine that is off every night is behind by the nights of one grace window and never by more.
 */
export class RetentionClock {
  private readonly options: RetentionClockOptions;
  private readonly clocks: Clocks;
  private time: RetentionTime;

  constructor(options: RetentionClockOptions) {
    this.options = options;
    this.clocks = options.clocks ?? systemClocks;
    this.time = options.last ?? { ...readClocks(this.clocks), ranMs: 0, doubts: [] };
    this.advance(true);
  }

  /** Unix milliseconds. */
  nowMs(): number {
    const aheadMs = this.advance(false);
    if (aheadMs > CLOCK_LEAP_MS) this.options.onLeap(aheadMs);
    return this.time.doubts.reduce((timeMs, leap) => timeMs - leap.aheadMs, this.time.wallMs);
  }

  /** Whether somebody has set the system's clock since the time was asked for last; steps too small to be seen add up until then. */
  wasSet(): boolean {
    return Math.abs(aheadBetween(this.time, readClocks(this.clocks))) > CLOCK_LEAP_MS;
  }

  /** By which the age of runs is told, as of the last time that was asked for. */
  get ages(): RetentionAges {
    const { wallMs, doubts, epochs = [], lostMs } = this.time;
    const doubtedMs = doubts.reduce((sumMs, { aheadMs, isKnown }) => (isKnown ? sumMs : sumMs + aheadMs), 0);
    const atLeast = lostMs === undefined ? {} : { receivedAtLeastMs: lostMs };
    return { nowMs: wallMs - doubtedMs, corrections: correctionsOf(epochs, wallMs), ...atLeast };
  }

  /** What the next process goes on from, as of the last time that was asked for. */
  get lastTime(): RetentionTime {
    return this.time;
  }

  /** Gives by how much it is ahead. */
  private advance(isStart: boolean): number {
    const { time } = this;
    const now = readClocks(this.clocks);
    const passedMs = passedBetween(time, now);
    const aheadMs = aheadBetween(time, now);
    const wasOff = isStart && aheadMs > CLOCK_LEAP_MS;
    const offMs = wasOff ? Math.min(aheadMs, DOWNTIME_HELD_MAX_MS, time.ranMs * DOWNTIME_HELD_TIMES) : 0;
    const doubts = time.doubts
      .map((leap) => ({ ...leap, heldMs: leap.heldMs + passedMs + offMs }))
      .filter(({ heldMs }) => heldMs < this.options.graceMs);
    // Over a start, a system that names none may have been off: a longer uptime is no proof.
    const isNamed = !isStart || (time.boot !== undefined && now.boot !== undefined);
    const isKnown = time.isGuessed !== true && isNamed && isSameBoot(time, now) && now.uptimeMs >= time.uptimeMs;
    if (aheadMs > CLOCK_LEAP_MS) addLeap(doubts, { aheadMs, heldMs: 0, isKnown });
    if (aheadMs < -CLOCK_LEAP_MS) takeBack(doubts, -aheadMs);
    const ranMs = (wasOff ? 0 : time.ranMs) + passedMs;
    const step = { now, passedMs, aheadMs, isKnown };
    this.time = { ...now, ranMs, doubts, ...epochsBehind(time, step), ...lossBehind(time, step) };
    return aheadMs;
  }
}

/** What a clock was found to have done. */
interface ClockStep {
  readonly now: ClockReading;
  readonly passedMs: number;
  readonly aheadMs: number;
  readonly isKnown: boolean;
}

/** Where somebody set the clock, another epoch has begun. Both take in what smaller steps, and a process that was killed, leave uncertain. */
function epochsBehind(
  { wallMs, sinceMs = 0, epochs = [] }: RetentionTime,
  { now, passedMs, aheadMs, isKnown }: ClockStep,
): Pick<RetentionTime, 'sinceMs' | 'epochs'> {
  if (Math.abs(aheadMs) <= CLOCK_LEAP_MS) return { sinceMs, epochs };
  const toMs = wallMs + passedMs + CLOCK_LEAP_MS;
  return {
    sinceMs: now.wallMs - passedMs - CLOCK_LEAP_MS,
    epochs: endEpoch(epochs, { fromMs: sinceMs, toMs, aheadMs, isKnown }),
  };
}

/** As other times of before a clock was set; a downtime leaves it where it was. */
function lossBehind({ lostMs }: RetentionTime, { aheadMs, isKnown }: ClockStep): Pick<RetentionTime, 'lostMs'> {
  if (lostMs === undefined) return {};
  const isSet = aheadMs < -CLOCK_LEAP_MS || (isKnown && aheadMs > CLOCK_LEAP_MS);
  return { lostMs: isSet ? lostMs + aheadMs : lostMs };
}

function addLeap(doubts: DoubtedLeap[], leap: DoubtedLeap): void {
  const last = doubts.length < DOUBTS_MAX ? undefined : doubts.pop();
  const isKnown = leap.isKnown === true && last?.isKnown !== false;
  doubts.push({ ...leap, aheadMs: leap.aheadMs + (last?.aheadMs ?? 0), isKnown });
}

/** A clock that is set back takes back what it leapt ahead last. */
function takeBack(doubts: DoubtedLeap[], backMs: number): void {
  for (let leftMs = backMs; leftMs > 0; ) {
    const last = doubts.pop();
    if (last === undefined) return;
    const aheadMs = last.aheadMs - leftMs;
    if (aheadMs > CLOCK_LEAP_MS) doubts.push({ ...last, aheadMs });
    leftMs -= last.aheadMs;
  }
}
