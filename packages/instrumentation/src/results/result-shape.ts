import { isPlatformPromise } from './platform-promise.ts';

/** What kind of result a call gave, as far as its end has to be waited for. */
export type ResultShape =
  | 'value'
  | 'native-promise'
  | 'thenable'
  | 'iterator'
  | 'iterable'
  | 'async-iterator'
  | 'async-iterable'
  /** A live handle that can be read in more ways than by iteration, such as a Node or web stream. */
  | 'stream-handle';

type Members = { readonly [key: PropertyKey]: unknown };

function hasMethod(value: Members, key: PropertyKey): boolean {
  return typeof value[key] === 'function';
}

function asyncShape(value: Members): ResultShape {
  if (hasMethod(value, 'getReader') || hasMethod(value, 'pipe')) return 'stream-handle';
  return hasMethod(value, 'next') ? 'async-iterator' : 'async-iterable';
}

/**
 * The shape of a result. Collections such as arrays and maps are values: the codec keeps them whole. A class that merely
 * is iterable is a value too, for its fields say more than its iteration.
 */
export function resultShape(value: unknown): ResultShape {
  if ((typeof value !== 'object' && typeof value !== 'function') || value === null) return 'value';
  const members = value as Members;
  if (isPlatformPromise(value)) return 'native-promise';
  if (hasMethod(members, 'then')) return 'thenable';
  if (typeof value === 'function' || Array.isArray(value)) return 'value';
  if (hasMethod(members, Symbol.asyncIterator)) return asyncShape(members);
  if (!hasMethod(members, Symbol.iterator)) return 'value';
  if (hasMethod(members, 'next')) return 'iterator';
  return Object.hasOwn(value, Symbol.iterator) ? 'iterable' : 'value';
}
