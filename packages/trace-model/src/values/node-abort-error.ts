import { EventEmitter, on } from 'node:events';

let found: unknown;

function thrownAborted(): unknown {
  try {
    return on(new EventEmitter(), 'none', { signal: AbortSignal.abort() });
  } catch (error) {
    return error;
  }
}

/**
 * Whether a class of this name is that of the errors by which Node.js's own functions are called off. No module exports it, so that nobody can tell
 * its errors from those of another class of that name; it is found by having one thrown.
 */
export function isNodeAbortError(name: string, errorClass: object | undefined): boolean {
  if (name !== 'AbortError' || errorClass === undefined) return false;
  found ??= Reflect.get(thrownAborted() as object, 'constructor');
  return errorClass === found;
}
