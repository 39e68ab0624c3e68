import { AsyncLocalStorage } from 'node:async_hooks';
import { constants } from 'node:os';
import { processState } from '@reenact/trace-model';
import { gate } from '../admission/current-gate.ts';
import type { Position } from '../gate/player.ts';
import { runInContext } from '../host/run-in-context.ts';
import { listenersPlace } from './listeners-place.ts';
import { raiseInRun } from './raise-in-run.ts';
import { signalCall } from './signal-call.ts';
import { watchEmit } from './watch-emit.ts';

type RunThere = ReturnType<typeof AsyncLocalStorage.snapshot>;

/** By signal, where the platform would call its listeners. */
const places = processState('signal-places.1', () => new Map<string, RunThere>());

/** Remembers where listeners of signals run, for `raiseSignal`: before any code of the user runs. Returns how to stop. */
export function prepareSignals(): () => void {
  return watchEmit({ firstListener: (signal) => void places.set(signal, AsyncLocalStorage.snapshot()) });
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
