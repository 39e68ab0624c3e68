import { disguised } from './patch-set.ts';
import { replaceProperty } from './replace-property.ts';

type Emit = (this: unknown, event: string | symbol, ...parameters: unknown[]) => unknown;

/** An event of the process that is about to be handed to its listeners. */
export interface Emission {
  readonly event: string | symbol;
  readonly parameters: readonly unknown[];
  /** Hands it on; gives whether anybody listened. */
  readonly hand: () => unknown;
}

/**
 * Stands before `process.emit`, which the platform calls with each event. Nothing listens for anything, so that what nobody listens for does what it
 * always did. `emission` gives what `emit` gives. Returns how to undo it.
 */
export function standBeforeEmit(emission: (emission: Emission) => unknown): () => void {
  const own = Object.getOwnPropertyDescriptor(process, 'emit')?.value as Emit | undefined;
  const current = (): Emit => own ?? (Reflect.get(Object.getPrototypeOf(process) as object, 'emit') as Emit);
  const standing: Emit = function (event, ...parameters) {
    const original = current();
    return emission({ event, parameters, hand: () => Reflect.apply(original, this, [event, ...parameters]) });
  };
  const value = disguised(standing, current());
  return replaceProperty(process, 'emit', { value, configurable: true, writable: true, enumerable: false });
}
