import { diffTrees } from '@reenact/trace-model';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { excerptOf } from '../provenance/find-value.ts';
import { valuePair } from './value-pair.ts';

describe('two long texts that are nearly the same', () => {
  const stack = 'at makeRequest (client.mjs:1014:30)\n'.repeat(10);

  it.each([
    ['of which one is too long for a report', `${stack}at the very end of it, further down, and even further`, stack],
    ['that are both too long', `${stack}at the end of one${stack}`, `${stack}at the end of another${stack}`],
    ['that are short enough', `${stack}one`, `${stack}another`],
  ])('%s are shown where they differ', (_, recorded, live) => {
    const [entry] = diffTrees(recorded, live).entries;
    const shown = valuePair(entry?.recorded, entry?.live);
    const differsAt = [...recorded].findIndex((character, index) => live[index] !== character);
    expect(shown.recorded).toContain(JSON.stringify(recorded.slice(differsAt, differsAt + 10)).slice(1, -1));
    expect(shown.live).toContain(JSON.stringify(live.slice(differsAt, differsAt + 10)).slice(1, -1));
    expect(shown.recorded).not.toBe(shown.live);
  });
});

it('what a report shows of a text has no half characters, wherever it is cut', () => {
  const text = fc.string({ unit: fc.constantFrom('a', '😀', '𝒳'), maxLength: 800, size: 'max' });
  fc.assert(
    fc.property(text, text, text, fc.nat(1_600), (before, left, right, at) => {
      const { recorded, live } = valuePair(before + left, before + right);
      const place = before.slice(0, at).isWellFormed() ? at : at - 1;
      expect([recorded, live, excerptOf(before + left, place)].filter((shown) => !shown.isWellFormed())).toEqual([]);
    }),
  );
});
