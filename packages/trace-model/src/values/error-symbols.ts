import { processState } from '../process/process-state.ts';
import type { ErrorClass } from './error-class.ts';

/** Of all copies of this package, as the error classes are. */
const symbolsOfClasses = processState<WeakMap<object, readonly symbol[]>>('error-symbols.1', () => new WeakMap());

/** Names the symbols of a library's own under which errors of a class, and of those that extend it, keep what their methods read. */
export function registerErrorSymbols(errorClass: ErrorClass, symbols: readonly symbol[]): void {
  symbolsOfClasses.set(errorClass, symbols);
}

/** The named symbols of an error class, by what they are called. */
export function symbolsOf(errorClass: object | undefined): ReadonlyMap<string, symbol> {
  const symbols = new Map<string, symbol>();
  for (let of: unknown = errorClass; typeof of === 'function'; of = Object.getPrototypeOf(of)) {
    for (const symbol of symbolsOfClasses.get(of) ?? []) symbols.set(symbol.description ?? '', symbol);
  }
  return symbols;
}
