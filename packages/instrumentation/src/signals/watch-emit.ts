import { constants } from 'node:os';
import { disguised } from '../patching/patch-set.ts';
import { replaceProperty } from '../patching/replace-property.ts';

type Emit = (this: unknown, event: string | symbol, ...parameters: unknown[]) => unknown;

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

/**
 * Stands before `process.emit`, which the platform calls with each signal that has listeners. Nothing listens for anything, so that a signal which
 * nobody listens for does what it always did. Of signals that were listened for before nothing is told. Returns how to undo it.
 */
export function watchEmit({ signal, firstListener }: EmitWatch): () => void {
  const own = Object.getOwnPropertyDescriptor(process, 'emit')?.value as Emit | undefined;
  const current = (): Emit => own ?? (Reflect.get(Object.getPrototypeOf(process) as object, 'emit') as Emit);
  const watched: Emit = function (event, ...parameters) {
    const original = current();
    const hand = (): unknown => Reflect.apply(original, this, [event, ...parameters]);
    if (event === 'newListener') {
      const [name] = parameters;
      if (isSignal(name) && process.listenerCount(name) === 0) firstListener(name);
    } else if (signal !== undefined && isSignal(event)) return signal(event, hand);
    return hand();
  };
  const value = disguised(watched, current());
  return replaceProperty(process, 'emit', { value, configurable: true, writable: true, enumerable: false });
}
