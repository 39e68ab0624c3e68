import { types } from 'node:util';

/** The `Object.prototype` of any realm. */
function isRoot(prototype: unknown): boolean {
  if (typeof prototype !== 'object' || prototype === null) return false;
  return Object.getPrototypeOf(prototype) === null && Object.hasOwn(prototype, 'isPrototypeOf');
}

/** Whether a member is a function of the platform with that name. No getter is called for it. */
function isNative(holder: object, key: string, name: string): boolean {
  const member: unknown = Object.getOwnPropertyDescriptor(holder, key)?.value;
  return (
    typeof member === 'function' && Function.prototype.toString.call(member) === `function ${name}() { [native code] }`
  );
}

/**
 * Whether this is the prototype of promises themselves and of no subclass, in whichever realm: inside Jest and `node:vm`, what the
 * platform gives (an answer of `fetch`, a timer's promise) is of another realm than the code that calls it.
 */
export function isPromisePrototype(prototype: object | null): boolean {
  if (prototype === Promise.prototype) return true;
  return (
    prototype !== null && isRoot(Object.getPrototypeOf(prototype)) && isNative(prototype, 'constructor', 'Promise')
  );
}

/** Exactly the platform's promise, of whichever realm: no subclass, whose own methods the host may rely on. */
export function isPlatformPromise(value: unknown): value is Promise<unknown> {
  if (!types.isPromise(value)) return false;
  const prototype = Object.getPrototypeOf(value) as { readonly constructor?: unknown } | null;
  return isPromisePrototype(prototype) && value.constructor === prototype?.constructor;
}
