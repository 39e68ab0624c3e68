import { readFileSync } from 'node:fs';
import * as reenact from 'reenact';
import { GrpcInstrumentation, HttpInstrumentation } from 'reenact';
import { expect, it } from 'vitest';

const page = readFileSync(new URL('../../docs/bundlers.md', import.meta.url), 'utf8');
const places: readonly object[] = [reenact, HttpInstrumentation.prototype, GrpcInstrumentation.prototype];

it('names functions that there are, for what is wrapped by hand, and every one that there is', () => {
  const named = new Set(Array.from(page.matchAll(/\b(instrument[A-Z]\w*)\(/g), ([, name = '']) => name));
  expect([...named].filter((name) => !places.some((place) => name in place))).toEqual([]);
  const exported = Object.keys(reenact).filter((name) => /^instrument[A-Z]/.test(name));
  expect(exported.filter((name) => !named.has(name))).toEqual([]);
});
