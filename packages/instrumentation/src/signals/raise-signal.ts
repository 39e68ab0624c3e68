import { AsyncLocalStorage } from 'node:async_hooks';
import { constants } from 'node:os';
import type { Context } from '@opentelemetry/api';
import { processState } from '@reenact/trace-model';
import { gate } from '../admission/current-gate.ts';
import type { Position } from '../gate/player.ts';
import { guarded } from '../host/report-failure.ts';
import { runInContext } from '../host/run-in-context.ts';
import { isFromPlatform } from './is-from-platform.ts';
import { listenersPlace } from './listeners-place.ts';
import { raiseInRun } from './raise-in-run.ts';
import { signalCall } from './signal-call.ts';
import { watchEmit } from './watch-emit.ts';

type RunThere = ReturnType<typeof AsyncLocalStorage.snapshot>;

/** By signal, where the platform would call its listeners. */
const places = processState('signal-places.1', () => new Map<string, RunThere>());

/** A signal that the run sends to this process itself, as it did when it was recorded. */
export interface SentSignal extends Omit<RaisedSignal, 'isHanded'> {
  /** When it came: one that was recorded in several runs of this process is the same. */
  readonly startUnixNano: bigint;
}

const expected = processState('sent-signals.1', () => new Set<SentSignal>());

/** Has the next signal of this name that reaches the process stand for one that was recorded, and the run told of it. */
export function expectSignal(sent: SentSignal): void {
  expected.add(sent);
}

/** Tells all runs in which it was recorded of a signal that has come, and gives where its listeners run; undefined leaves them where they are. */
function tellSent(signal: string): Context | undefined {
  if (expected.size === 0 || !isFromPlatform()) return undefined;
  const alike = Array.from(expected).filter((sent) => sent.signal === signal);
  const first = alike.reduce<SentSignal | undefined>(
    (earliest, sent) => (earliest === undefined || sent.startUnixNano < earliest.startUnixNano ? sent : earliest),
    undefined,
  );
  if (first === undefined) return undefined;
  const runs = gate.runsUnderWay();
  for (const sent of alike.filter(({ startUnixNano }) => startUnixNano === first.startUnixNano)) {
    expected.delete(sent);
    raiseInRun(signalCall(signal), sent.position);
  }
  return listenersPlace(runs);
}

/**
 * Remembers where listeners of signals run, for `raiseSignal`, and takes those that come for the ones that are expected: before any code of the user runs.
 * Returns how to stop.
 */
export function prepareSignals(): () => void {
  return watchEmit({
    firstListener: (signal) => void places.set(signal, AsyncLocalStorage.snapshot()),
    signal: (signal, hand) => {
      const place = guarded('telling of a signal', () => tellSent(signal), undefined);
      return place === undefined ? hand() : runInContext(place, hand);
    },
  });
}

/** Hands a signal to its listeners as the platform does. Nothing is sent to the process, whose default would end it. */
function hand(signal: NodeJS.Signals): void {
  const runs = gate.runsUnderWay();
  const emit = (): void => void Reflect.apply(process.emit, process, [signal, signal, constants.signals[signal]]);
  const atPlace = places.get(signal) ?? ((work: () => void) => work());
  atPlace(() => {
    const place = listenersPlace(runs);
    if (place === undefined) emit();
    else runInContext(place, emit);
  });
}

/** What is raised, and for whom. */
export interface RaisedSignal {
  readonly signal: NodeJS.Signals;
  /** Inside the run that it was recorded in. */
  readonly position: Position;
  /** Whether the listeners of this process are to hear it; else the run is told alone. */
  readonly isHanded: boolean;
}

/**
 * Has a signal reach the listeners of this process as it did when a run was recorded: through the gate, which looks it up and compares it. Does
 * nothing where that run does not go on in this process any more. What listeners throw is thrown.
 */
export function raiseSignal({ signal, position, isHanded }: RaisedSignal): void {
  if (raiseInRun(signalCall(signal), position) && isHanded) hand(signal);
}
