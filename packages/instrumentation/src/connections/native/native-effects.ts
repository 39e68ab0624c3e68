import type { NativeEffect, NativeUse } from './native-library.ts';

/** One property of what may be an object. */
export function memberOf(value: unknown, key: string): unknown {
  return typeof value === 'object' && value !== null ? (value as Record<string, unknown>)[key] : undefined;
}

/** Opening a database by a path; nothing where it is in memory, or opened for reading. */
export function openedFile(location: unknown, isReadOnly: unknown = false): readonly NativeEffect[] {
  const isInMemory = location === '' || (typeof location === 'string' && /^(?:file:)?:memory:/.test(location));
  return isInMemory || isReadOnly === true ? [] : [{ type: 'file', location }];
}

/** As `openedFile`, of what may be an address too. */
export function fileOrAddress(location: unknown, isReadOnly: unknown = false): readonly NativeEffect[] {
  // One letter is a drive of Windows.
  const isAddress = typeof location === 'string' && /^[a-z][a-z\d+.-]+:/i.test(location) && !/^file:/i.test(location);
  if (!isAddress) return openedFile(location, isReadOnly);
  return location.startsWith('memory:') ? [] : [{ type: 'address', address: location }];
}

/** Members that use what is open, and throw where they fail. */
export function uses(...members: readonly string[]): readonly NativeUse[] {
  return members.map((member) => ({ member, fails: 'throw', gives: 'nothing' }));
}

/** Members that use what is open, and give a promise. */
export function usesLater(...members: readonly string[]): readonly NativeUse[] {
  return members.map((member) => ({ member, fails: 'reject', gives: 'nothing' }));
}

/** The same members, where they give what later calls work on. */
export function giving(given: readonly NativeUse[]): readonly NativeUse[] {
  return given.map((use) => ({ ...use, gives: 'handle' }));
}

/** The same members, where they give the statement that they were given, to be run. */
export function preparing(given: readonly NativeUse[]): readonly NativeUse[] {
  return given.map((use) => ({ ...use, gives: 'statement' }));
}
