import { expect } from 'vitest';

/** The expectations of an act for vitest: a regular expression stands for any text it matches. */
export function shown(expected: unknown): unknown {
  if (expected instanceof RegExp) return expect.stringMatching(expected);
  if (Array.isArray(expected)) return expected.map(shown);
  if (typeof expected !== 'object' || expected === null || Object.getPrototypeOf(expected) !== Object.prototype)
    return expected;
  return Object.fromEntries(Object.entries(expected).map(([key, value]) => [key, shown(value)]));
}
