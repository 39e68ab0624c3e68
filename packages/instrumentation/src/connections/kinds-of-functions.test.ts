import fs from 'node:fs';
import { describe, expect, it } from 'vitest';
import { installConnectionWatch } from './install-connection-watch.ts';

/** What others tell by whether a function gives a promise, such as the package `async`: of none else does it wait for a callback in vain. */
function kinds(): [name: string, kind: unknown, className: string][] {
  return Object.entries(fs.promises)
    .filter(([, value]) => typeof value === 'function')
    .map(([name, value]) => [name, Reflect.get(value, Symbol.toStringTag), value.constructor.name]);
}

describe('the functions of node:fs/promises', () => {
  it('are asynchronous ones to whoever asks, watched or not', () => {
    const before = kinds();
    expect(before.filter(([, kind]) => kind === 'AsyncFunction').length).toBeGreaterThan(20);
    const uninstall = installConnectionWatch();
    try {
      expect(kinds()).toEqual(before);
    } finally {
      uninstall();
    }
  });
});
