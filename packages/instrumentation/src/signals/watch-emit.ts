import { constants } from 'node:os';
import { standBeforeEmit } from '../patching/stand-before-emit.ts';

/** What is told of the events of the process. */
export interface EmitWatch {
  /** A signal is handed to its listeners; `hand` does so. Gives what `hand` gives. */
  readonly signal?: (signal: string, hand: () => unknown) => unknown;
  /** The first listener of a signal is about to be added: the platform calls all of them where this one was added. */
  readonly firstListener: (signal: string) => void;
}

/** Whether this is the name of a signal of this platform. */
function isSignal(event: unknown): event is string {
  return typeof event === 'string' && event in constants.signals;
}

/** Tells of signals as the platform hands them to their listeners; of those that were listened for before nothing is told. Returns how to undo it. */
export function watchEmit({ signal, firstListener }: EmitWatch): () => void {
  return standBeforeEmit(({ event, parameters, hand }) => {
    if (event === 'newListener') {
      const [name] = parameters;
      if (isSignal(name) && process.listenerCount(name) === 0) firstListener(name);
    } else if (signal !== undefined && isSignal(event)) return signal(event, hand);
    return hand();
  });
}
