import { describe, expect, it } from 'vitest';
import { closestName, editDistance } from './closest-name.ts';

describe('the closest name', () => {
  it('counts edits', () => {
    expect([editDistance('', 'abc'), editDistance('kitten', 'sitting'), editDistance('same', 'same')]).toEqual([
      3, 3, 0,
    ]);
  });

  it('is given only where it is near', () => {
    expect(closestName('tool:get_qoute', ['tool:get_quote', 'tool:place_order'])).toBe('tool:get_quote');
    expect(closestName('completely different', ['tool:get_quote'])).toBeUndefined();
    expect(closestName('x', [])).toBeUndefined();
  });
});
