import { describe, expect, it } from 'vitest';
import { givenInText } from './given-in-text.ts';

const [a, b] = ['[redacted:named-value:aaaaaaaaaaaaaaaa]', '[redacted:jwt:bbbbbbbbbbbbbbbb]'];

function valuesIn(recorded: string, live: string): string[] {
  return givenInText(recorded, live).map(({ value }) => value);
}

describe('what a text holds in the places of tokens', () => {
  it('is what stands between what was recorded around them', () => {
    expect(valuesIn(a, 'whole')).toEqual(['whole']);
    expect(valuesIn(`Bearer ${a}`, 'Bearer x.y')).toEqual(['x.y']);
    expect(givenInText(`<i ${a}><b ${b}>`, '<i 1><b 2>')).toEqual([
      { token: a, value: '1' },
      { token: b, value: '2' },
    ]);
    expect(valuesIn('nothing', 'nothing')).toEqual([]);
  });

  it('is not known where the rest differs', () => {
    for (const [recorded, live] of [
      [`Bearer ${a}`, 'Basic x'],
      [`<i ${a}> at 12`, '<i 1> at 13'],
      [`x${a}x`, 'x'],
      [`<i ${a}><b ${b}>`, '<i 1><c 2>'],
    ] as const)
      expect(valuesIn(recorded, live)).toEqual([]);
  });

  it('is not known where it can be read in more than one way', () => {
    expect(valuesIn(`${a}${b}`, 'xy')).toEqual([]);
    expect(valuesIn(`${a}-${b}`, '1-2-3')).toEqual([]);
    expect(valuesIn(`${a}-${b}`, '1-2')).toEqual(['1', '2']);
  });
});
