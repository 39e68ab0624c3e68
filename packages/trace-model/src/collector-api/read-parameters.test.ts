import { expect, it } from 'vitest';
import { z } from 'zod';
import { readParameters } from './read-parameters.ts';

const schema = z.object({ text: z.string(), kept: z.boolean().optional(), limit: z.int().max(9).optional() });

it.each([
  [
    'a boolean',
    [
      ['text', 'a'],
      ['kept', '2'],
    ],
    'kept',
    'write true or false',
  ],
  [
    'a number',
    [
      ['text', 'a'],
      ['limit', 'many'],
    ],
    'limit',
    'write a whole number',
  ],
  ['one that is missing', [['kept', 'true']], 'text', 'it is needed'],
  ['one of another name', [['txt', 'a']], 'txt', 'there is no such parameter'],
] as const)('says of a text that cannot be read what to write: %s', (_, given, name, problem) => {
  expect(readParameters(schema, given)).toEqual({ ok: false, name, problem });
});

it('reads texts as the types that parameters have', () => {
  const given = [
    ['text', '7'],
    ['kept', 'false'],
    ['limit', '7'],
  ] as const;
  expect(readParameters(schema, given)).toEqual({ ok: true, value: { text: '7', kept: false, limit: 7 } });
});
