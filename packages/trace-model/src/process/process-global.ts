import { runInThisContext } from 'node:vm';

/** Under which the register hook says that it was loaded. */
const REGISTERED = Symbol.for('reenact.registered');

type Marked = typeof globalThis & { [REGISTERED]?: true };

/** Whether this copy was loaded in a context of `node:vm`, as Jest loads, once more for each test file, whatever the file imports. */
export function isInOwnContext(): boolean {
  return runInThisContext('globalThis') !== globalThis;
}

/**
 * The global object that copies of these packages share their state by: that of the process where the register hook was loaded
 * there, so that a wrapper made in a context of `node:vm` finds what records or replays; else the one of this context.
 */
export function processGlobal(): typeof globalThis {
  const outer = runInThisContext('globalThis') as Marked;
  return outer[REGISTERED] === true ? outer : globalThis;
}

/** Says that the register hook is loaded here; false where it already was, here or in the process around this context. */
export function claimRegistration(): boolean {
  const holder = processGlobal() as Marked;
  if (holder[REGISTERED] === true) return false;
  holder[REGISTERED] = true;
  return true;
}
