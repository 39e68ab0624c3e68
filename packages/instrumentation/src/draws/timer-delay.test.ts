import { expect, it } from 'vitest';
import { timerDelayMs } from './timer-delay.ts';

it('reads a delay as Node.js reads it', () => {
  const given = [undefined, Number.NaN, -5, 0, 0.5, 1.9, '20', 2 ** 31, 2 ** 31 - 1];
  expect(given.map(timerDelayMs)).toEqual([1, 1, 1, 1, 1, 1, 20, 1, 2 ** 31 - 1]);
});
