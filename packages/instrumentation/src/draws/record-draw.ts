import { type Context, context as contexts } from '@opentelemetry/api';
import { type ClockFunction, processState, type RandomFunction, type ReadingFunction } from '@reenact/trace-model';
import { gate } from '../admission/current-gate.ts';
import { enclosingSpan } from '../host/enclosing-span.ts';
import { isOwnWork } from '../host/own-work.ts';
import { guarded, reportFailure } from '../host/report-failure.ts';
import { isSpanWork } from '../host/span-work.ts';
import { isTelemetryContext } from '../host/telemetry-context.ts';
import { scopeOf } from '../run/crossing-scope.ts';
import { drawRecording } from '../run/draw-recording.ts';
import { DrawTape, type KeptDraws } from '../run/draw-tape.ts';
import { lateTapes } from '../run/late-draws.ts';
import { keepsLateEvents, lateEventTape } from '../run/late-events.ts';
import { isInSpanOfProcess } from '../run/spans-of-process.ts';
import { isInThread, noteThreadDoing } from '../run/thread-doings.ts';
import type { EventOrder, TimerKey, TimerRecord, WorkKey } from '../run/timer-tape.ts';
import { type AnyClock, isFetchRead } from './fetch-reads.ts';
import { timerDelayMs } from './timer-delay.ts';

/** What the next piece of work was reserved as. */
const reservedWork = processState<{ given: TimerRecord | undefined }>('reserved-work.1', () => ({ given: undefined }));

function tapeHere(kept: KeptDraws): DrawTape | undefined {
  const { installations } = drawRecording;
  if (installations === 0 || isOwnWork() || isSpanWork()) return undefined;
  if (isInThread && (kept === 'draws' || kept === 'ticks') && !isTelemetryContext(contexts.active()))
    noteThreadDoing('draw');
  const processTape = drawRecording.processTape?.isFullOf(kept) === false ? drawRecording.processTape : undefined;
  // The common case of a host between its runs, told without asking for a context.
  if (processTape === undefined && !gate.hasOpenCrossings() && !lateTapes.hasEnded) return undefined;
  const active = contexts.active();
  const scope = scopeOf(active);
  if (scope === undefined && processTape === undefined) return undefined;
  // Exporters suppress tracing around what they do, and do it beside a script's run as well.
  if (isTelemetryContext(active)) return undefined;
  if (scope?.hasEnded === true) {
    // Of ended crossings whose code does not run again nothing is needed.
    if (scope.isAgent !== true) return undefined;
    return kept === 'draws' || kept === 'ticks' ? lateTapes.tapeOf(scope) : lateEventTape(scope);
  }
  if (scope !== undefined) {
    // A client measures itself, and sets limits to itself; none of the agent's code runs there.
    if (kept !== 'draws' && scope.isClientCall === true) return undefined;
    scope.draws ??= new DrawTape();
    return scope.draws;
  }
  return enclosingSpan(active) === undefined || isInSpanOfProcess(active) ? processTape : undefined;
}

function tape(kept: KeptDraws = 'draws'): DrawTape | undefined {
  try {
    return tapeHere(kept);
  } catch (thrown) {
    reportFailure('finding the run of a draw', thrown);
    return undefined;
  }
}

/**
 * Keeps a clock read of the run around this call; does nothing outside runs. `skewMs`: what is to be taken from it for a time as the spans have it,
 * where that is known. Never throws.
 */
export function recordTime(name: ClockFunction, timeMs: number, skewMs?: number): void {
  tape()?.addTime(name, timeMs, skewMs);
}

/** Keeps what `clock`, the `Date.now` in force, gave, as `recordTime` does; not where `fetch` itself read it. Never throws. */
export function recordNow(clock: () => number, timeMs: number): void {
  const kept = tape();
  if (kept === undefined || guarded('telling who reads the clock', () => isFetchRead(clock), false)) return;
  kept.addTime('Date.now', timeMs);
}

/**
 * The tape for reads of `clock`, one that only runs forward, in the run around this call; undefined outside runs, where `fetch`
 * itself reads it, and in what a client does. Never throws.
 */
export function tickTape(clock: AnyClock): Pick<DrawTape, 'addTick'> | undefined {
  const kept = tape('ticks');
  if (kept === undefined || guarded('telling who reads the clock', () => isFetchRead(clock), false)) return undefined;
  return kept;
}

/** Keeps a random value of the run around this call; does nothing outside runs. Never throws. */
export function recordValue(name: Exclude<RandomFunction, 'crypto.randomBytes'>, value: unknown): void {
  tape()?.addValue(name, value);
}

/** Keeps what a function says of the machine or the process to the run around this call; does nothing outside runs. Never throws. */
export function recordReading(name: ReadingFunction, value: unknown): void {
  const kept = tape();
  if (kept === undefined) return;
  guarded('keeping what the machine says', () => kept.addReading(name, JSON.stringify(value)), undefined);
}

/**
 * Keeps bytes that were drawn, where that is wanted; call the result with them. `isId`: whether a driver makes an id of them, which is kept
 * anyway. Never throws.
 */
export function recordBytes(isId?: () => boolean): (bytes: Uint8Array) => void {
  const kept = tape();
  if (kept === undefined) return () => undefined;
  if (!drawRecording.keepsBytes) {
    if (isId !== undefined && guarded('telling who draws', isId, false)) return filling(kept, 'driver.id');
    kept.lose('crypto.randomBytes', 'not recorded; REENACT_RECORD_RANDOM_BYTES=1 records random bytes');
    return () => undefined;
  }
  return filling(kept, 'crypto.randomBytes');
}

function filling(kept: DrawTape, name: RandomFunction): (bytes: Uint8Array) => void {
  const fill = kept.reserve(name);
  return (bytes) => guarded('keeping random bytes', () => fill(asBase64(bytes)), undefined);
}

/** Marks that code of a run drew a key, or what is made with chance and one, where `isDrawn` says so; does nothing outside runs. Never throws. */
export function recordKeys(isDrawn: () => boolean): void {
  const kept = tape();
  if (kept === undefined || !isDrawn()) return;
  kept.lose('node:crypto', 'not recorded: a key, a signature or what is encrypted with one is another each time');
}

/** Marks that code of a run went to a context of `node:vm` whose draws cannot be kept; does nothing outside runs. Never throws. */
export function recordContext(): void {
  tape()?.lose('node:vm', 'the clock and the random numbers of a context that cannot be watched are not recorded');
}

/** Marks that code of a run had SQLite draw, where `isDrawn` says so; does nothing outside runs, and where a call is recorded with what it gives. Never throws. */
export function recordSql(isDrawn: () => boolean): void {
  const kept = tape();
  const isServed = scopeOf(contexts.active())?.isAgent === false;
  if (kept === undefined || isServed || !guarded('telling what a statement draws', isDrawn, false)) return;
  kept.lose('SQLite', 'not recorded: its clock and its random numbers are not those of JavaScript');
}

function asBase64({ buffer, byteOffset, byteLength }: Uint8Array): string {
  return Buffer.from(buffer, byteOffset, byteLength).toString('base64');
}

/**
 * Keeps a timer with this delay that is set in the run around this call; tell what it gives what becomes of it. Undefined outside runs
 * and in what a client does. Never throws, and neither does what it gives.
 */
export function recordTimer(delay: unknown): TimerRecord | undefined {
  const kept = tape('timers');
  if (kept === undefined) return undefined;
  return guarded('keeping a timer', () => recordTimerIn(kept, timerDelayMs(delay)), undefined);
}

/** The same of one that waits for the next turn of the event loop. */
export function recordImmediate(): TimerRecord | undefined {
  const kept = tape('timers');
  return kept === undefined
    ? undefined
    : guarded('keeping an immediate', () => recordTimerIn(kept, 'immediate'), undefined);
}

/**
 * Gives what keeps work outside JavaScript of the run around this call; call it when the work begins, and tell what it gives where that ends
 * (docs/adr/0047). Undefined outside runs and in what a client does. Never throws, and neither does what it gives.
 */
export function workRecorder(key: WorkKey): (() => TimerRecord | undefined) | undefined {
  const kept = tape('work');
  if (kept === undefined) return undefined;
  const { given } = reservedWork;
  if (given !== undefined) {
    reservedWork.given = undefined;
    return () => given;
  }
  const keep = (): TimerRecord | undefined => recordIn((order) => kept.addWork(key, order));
  return () => guarded('keeping work outside JavaScript', keep, undefined);
}

/**
 * Keeps work of the run around this call that is asked for now and begins later, as in a replay; begin it by `asReservedWork`. Undefined as for
 * `workRecorder`. Never throws.
 */
export function reserveWork(key: WorkKey): TimerRecord | undefined {
  return workRecorder(key)?.();
}

/** Begins the work that `record` was reserved for: what is kept of it stands where it was asked for. Throws what `start` throws. */
export function asReservedWork(record: TimerRecord | undefined, start: () => void): void {
  reservedWork.given = record;
  try {
    start();
  } finally {
    reservedWork.given = undefined;
  }
}

function recordTimerIn(kept: DrawTape, key: TimerKey): TimerRecord | undefined {
  return recordIn((order) => kept.addTimer(key, order));
}

function recordIn(add: (order: EventOrder | undefined) => TimerRecord | undefined): TimerRecord | undefined {
  const scope = scopeOf(contexts.active());
  const record = add(scope?.run);
  if (record === undefined) return undefined;
  const isKept = (): boolean => scope?.hasEnded !== true || keepsLateEvents(scope);
  const whileOpen = (told: () => void) => (): void => {
    guarded('keeping a timer', () => (isKept() ? told() : undefined), undefined);
  };
  return {
    ordinal: record.ordinal,
    fired: whileOpen(() => record.fired()),
    cancelled: whileOpen(() => record.cancelled()),
    withdrawn: whileOpen(() => record.withdrawn()),
  };
}

/** Makes what was drawn outside all crossings so far, and what still is, part of the crossing of this context. */
export function adoptProcessDraws(context: Context): void {
  const scope = scopeOf(context);
  if (scope === undefined || drawRecording.processTape === undefined) return;
  scope.draws = drawRecording.processTape;
  scope.draws.follow(scope.run);
}
