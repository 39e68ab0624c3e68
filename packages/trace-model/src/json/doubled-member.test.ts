import { expect, it } from 'vitest';
import { doubledMember } from './doubled-member.ts';

it.each([
  ['the top', '{"a":1,\n"b":2,\n"a":3}', { name: 'a', line: 3 }],
  ['an object in a list', '[{"a":1},{"a":1,"a":1}]', { name: 'a', line: 1 }],
  ['a name that is written in two ways', String.raw`{"a":1,"\u0061":2}`, { name: 'a', line: 1 }],
  ['a name with space before its colon', '{"a" : 1, "a"\n: 2}', { name: 'a', line: 1 }],
  ['a name behind an object', '{"a":{"b":[{}]},"c":"}","a":1}', { name: 'a', line: 1 }],
])('names what is there twice in %s', (_name, text, doubled) => {
  expect(doubledMember(text)).toEqual(doubled);
});

it.each([
  ['objects of one list', '[{"a":1},{"a":1}]'],
  ['an object inside another', '{"a":{"a":{"a":1}}}'],
  ['texts that are no names', String.raw`{"a":"a","b":["a","a","\"a\":","{\"a\":1,\"a\":2}"]}`],
  ['what every object inherits', '{"constructor":1,"__proto__":2}'],
  ['a scalar', '"a"'],
])('finds none in %s', (_name, text) => {
  expect(doubledMember(text)).toBeUndefined();
});
