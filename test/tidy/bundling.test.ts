import { describe, expect, it } from 'vitest';
import { shippedFiles } from './source-tree.ts';

const calls = shippedFiles
  .filter(({ path }) => path.startsWith('packages/'))
  .flatMap(({ path, text }) =>
    Array.from(text.matchAll(/(?<![.\w])createRequire\(([^)]*)\)/g), ([, of = '']) => ({ path, of })),
  );

describe('what a bundler is given', () => {
  it('makes a require of places that are known to it: of any other webpack makes undefined', () => {
    expect(calls.length).toBeGreaterThan(5);
    expect(calls.filter(({ of }) => !['import.meta.url', 'ownUrl'].includes(of))).toEqual([]);
  });
});
