import { expect, it } from 'vitest';
import { cellText, inertText } from './markdown-text.ts';

it.each([
  ['see https://evil.example/x now', 'see `https://evil.example/x` now'],
  ['www.evil.example', '`www.evil.example`'],
  ['ask &commat;octocat', 'ask `&commat;octocat`'],
  ['ask @octocat, or mail a@b.example', 'ask `@octocat,` or mail `a@b.example`'],
  ['fixes owner/name#12 and `#1`', 'fixes `owner/name#12` and `` `#1` ``'],
  ['a [b](c) <i>', 'a \\[b\\]\\(c\\) \\<i\\>'],
  ['- a\r# b\n=', '\\- a `#` b ='],
  ['1. first', '1\\. first'],
])('text of a recording stays text where GitHub renders it: %s', (text, inert) => {
  expect(inertText(text)).toBe(inert);
});

it('a cell of a table has one line, whatever ends its lines', () => {
  expect(cellText('a\r\rb|c\n\n# d')).toBe('`a  b\\|c  # d`');
});
