import { afterEach, beforeEach, expect, it } from 'vitest';
import { asProcessGoes } from './as-process-goes.ts';

type Ending = { reallyExit: (...parameters: unknown[]) => unknown };
const ending = process as unknown as Ending;
const { reallyExit } = ending;
const others = new Set(process.listeners('exit'));
let given: unknown[][] = [];

beforeEach(() => {
  given = [];
  ending.reallyExit = (...parameters) => given.push(parameters);
});
afterEach(() => {
  ending.reallyExit = reallyExit;
  for (const listener of process.listeners('exit')) if (!others.has(listener)) process.off('exit', listener);
});

it('does its work once, with the code that a process is ended with', () => {
  const codes: number[] = [];
  const undo = asProcessGoes((code) => void codes.push(code));
  ending.reallyExit(3);
  ending.reallyExit(4);
  undo();
  expect([codes, given]).toEqual([[3], [[3], [4]]]);
});

it.each<[string, unknown, () => void]>([
  ['a code that cannot be read', Symbol('3'), () => undefined],
  [
    'work that fails',
    3,
    () => {
      throw new Error('failed');
    },
  ],
])('ends the process as it was asked to, whatever happens: %s', (_, code, work) => {
  const undo = asProcessGoes(work);
  expect(() => ending.reallyExit(code)).not.toThrow();
  undo();
  expect(given).toEqual([[code]]);
});
