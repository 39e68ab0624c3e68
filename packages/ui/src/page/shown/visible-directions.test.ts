import { h, options } from 'preact';
import { expect, it, onTestFinished } from 'vitest';
import { showDirections, visibleDirections } from './visible-directions.ts';

it.each([
  ['an override', 'user\u202etxt.exe', 'user\\u202etxt.exe'],
  ['an isolate', 'a\u2067b\u2069c', 'a\\u2067b\\u2069c'],
  ['what is written from right to left', 'שלום \u200f1,000', 'שלום \u200f1,000'],
])('writes out what turns the direction of text, and nothing else: %s', (_, text, shown) => {
  expect(visibleDirections(text)).toBe(shown);
});

it('writes them out in texts and labels of elements, and hands them to components as they are', () => {
  const { vnode } = options;
  onTestFinished(() => {
    Object.assign(options, { vnode });
  });
  showDirections();
  const given = { title: 'a\u202e', 'aria-label': 'b\u202e', href: 'c\u202e' };
  expect(h('a', given, 'd\u202e').props).toEqual({
    title: 'a\\u202e',
    'aria-label': 'b\\u202e',
    href: 'c\u202e',
    children: 'd\\u202e',
  });
  expect(h((_: typeof given) => null, given).props).toEqual(given);
});
