import { expect, it } from 'vitest';
import { visibleDirections } from './visible-directions.ts';

it.each([
  ['an override', 'user\u202etxt.exe', 'user\\u202etxt.exe'],
  ['an isolate', 'a\u2067b\u2069c', 'a\\u2067b\\u2069c'],
  ['what is written from right to left', 'שלום \u200f1,000', 'שלום \u200f1,000'],
])('writes out what turns the direction of text, and nothing else: %s', (_, text, shown) => {
  expect(visibleDirections(text)).toBe(shown);
});
