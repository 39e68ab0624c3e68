import { types } from 'node:util';
import { blobBytes } from './blob-bytes.ts';
import { hasHiddenMembers } from './value-classes.ts';

/** Makes one tagged node: an object whose `$` member names the tag. */
export function tag(name: string, members: Record<string, unknown>): Record<string, unknown> {
  return { $: name, ...members };
}

/** Whether a value is an ordinary object, of whichever realm (Jest and `node:vm` have their own), or without a prototype. */
export function isPlainObject(value: object): boolean {
  const prototype = Object.getPrototypeOf(value) as object | null;
  if (prototype === null || prototype === Object.prototype) return true;
  return Object.getPrototypeOf(prototype) === null && Object.hasOwn(prototype, 'isPrototypeOf');
}

/** Whether a value is an error of whichever realm. */
export function isError(value: unknown): value is Error {
  return value instanceof Error || value instanceof DOMException || types.isNativeError(value);
}

/** Encodes one value inside a built-in; `step` is what it adds to the JSON pointer. */
export type EncodeMember = (value: unknown, step: string | number) => unknown;

function encodeBytes(value: ArrayBufferView | ArrayBufferLike): Record<string, unknown> {
  if (ArrayBuffer.isView(value)) {
    // Only the view's own bytes: the buffer behind it may be a pool with somebody else's secrets.
    const bytes = Buffer.from(value.buffer, value.byteOffset, value.byteLength);
    return tag('bytes', {
      class: Buffer.isBuffer(value) ? 'Buffer' : Object.prototype.toString.call(value).slice(8, -1),
      base64: bytes.toString('base64'),
    });
  }
  return tag('bytes', { class: 'ArrayBuffer', base64: Buffer.from(value).toString('base64') });
}

/** A blob or a file of a form by its bytes and what it says of them; undefined where those cannot be had without waiting. */
function encodeBlob(value: Blob): Record<string, unknown> | undefined {
  const bytes = blobBytes(value);
  if (bytes === undefined) return undefined;
  const isFile = value instanceof File;
  return tag('bytes', {
    class: isFile ? 'File' : 'Blob',
    type: value.type,
    ...(isFile ? { name: value.name, lastModified: value.lastModified } : {}),
    base64: bytes.toString('base64'),
  });
}

const names: Readonly<Record<string, string>> = {
  date: 'Date',
  map: 'Map',
  set: 'Set',
  regexp: 'RegExp',
  url: 'URL',
  'url-search-params': 'URLSearchParams',
  'form-data': 'FormData',
  headers: 'Headers',
};

/** The class that an encoded built-in comes back as; undefined for one that boxes a value. */
export function builtInName(node: Record<string, unknown>): string | undefined {
  return typeof node.class === 'string' ? node.class : names[String(node.$)];
}

/** Names that show of a built-in and are no member of a host's: the characters of a text, and the class that a piece of a `Blob` names. */
function shownAnyway(value: object): number {
  if (value instanceof String) return value.length;
  return Object.hasOwn(value, 'constructor') && value instanceof Blob ? 1 : 0;
}

/** Those of the platform's own that do not show. */
const hiddenAnyway: readonly string[] = ['lastIndex', 'length'];

/** Whether a built-in has members of its own beside what it holds. Not asked of views, whose own members are what they hold. */
export function hasOwnMembers(value: object): boolean {
  if (ArrayBuffer.isView(value)) return false;
  return Object.keys(value).length > shownAnyway(value) || hasHiddenMembers(value, hiddenAnyway);
}

/** Whether a host can hang members under symbols on it that are not the platform's own: those of other classes keep there what they hold. */
export function isWithoutOwnSymbols(value: object): boolean {
  return (
    types.isMap(value) ||
    types.isSet(value) ||
    types.isDate(value) ||
    types.isRegExp(value) ||
    ArrayBuffer.isView(value)
  );
}

/** Whether a view is of memory that other threads may write to, which what comes back is not. */
export function isSharedMemory(value: object): boolean {
  return ArrayBuffer.isView(value) && types.isSharedArrayBuffer(value.buffer);
}

const durationUnits = [
  'years',
  'months',
  'weeks',
  'days',
  'hours',
  'minutes',
  'seconds',
  'milliseconds',
  'microseconds',
  'nanoseconds',
] as const;

/** A time as the text that it can be made of again; a duration by its units, because its text balances those below the second. */
function encodeTemporal(value: object, name: string): Record<string, unknown> {
  if (name !== 'Duration') return tag('temporal', { class: name, value: String(value) });
  return tag('temporal', {
    class: name,
    value: Object.fromEntries(durationUnits.map((unit) => [unit, Reflect.get(value, unit)])),
  });
}

/** Whether an encoded built-in is a time of a polyfill, of whose class nothing is made again. */
export function isForeignTime(value: object, node: Record<string, unknown>): boolean {
  if (node.$ !== 'temporal') return false;
  const classes: unknown = Reflect.get(globalThis, 'Temporal');
  const isKnown = typeof classes === 'object' && classes !== null;
  return !isKnown || Reflect.get(classes, String(node.class)) !== value.constructor;
}

/** Encodes the built-in classes that keep their state in internal slots; undefined for any other object. */
export function encodeBuiltIn(value: object, encode: EncodeMember): Record<string, unknown> | undefined {
  if (types.isDate(value)) {
    return tag('date', { value: Number.isNaN(value.getTime()) ? null : value.toISOString() });
  }
  if (types.isMap(value)) {
    const entries = Array.from(value, ([key, item], index) => [encode(key, index), encode(item, index)]);
    return tag('map', { entries });
  }
  if (types.isSet(value)) return tag('set', { values: Array.from(value, (item, index) => encode(item, index)) });
  if (types.isRegExp(value))
    return tag('regexp', { source: value.source, flags: value.flags, lastIndex: value.lastIndex });
  if (value instanceof URL) return tag('url', { value: value.href });
  if (value instanceof URLSearchParams) return tag('url-search-params', { value: value.toString() });
  if (value instanceof FormData) {
    const entries = Array.from(value, ([name, item], index) => [name, encode(item, index)]);
    return tag('form-data', { entries });
  }
  if (value instanceof Headers) return tag('headers', { entries: Array.from(value.entries()) });
  if (ArrayBuffer.isView(value) || types.isArrayBuffer(value)) return encodeBytes(value);
  const kind = Object.prototype.toString.call(value).slice(8, -1);
  if ((kind === 'Blob' || kind === 'File') && value instanceof Blob) return encodeBlob(value);
  if (kind.startsWith('Temporal.')) return encodeTemporal(value, kind.slice('Temporal.'.length));
  if (types.isBoxedPrimitive(value)) {
    return tag('boxed', { value: encode(value.valueOf(), 'value') });
  }
  return undefined;
}
