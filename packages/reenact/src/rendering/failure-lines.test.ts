import { expect, it } from 'vitest';
import { failureLines } from './failure-lines.ts';

const told = (): void => undefined;
const terminal = { out: told, err: told, data: told, colour: false, columns: 60, wraps: true };

it('says where a run failed, with what and given what, no wider than the terminal', () => {
  const failure = { spanId: 'a1', name: 'tool:refund', error: `BankError: ${'x'.repeat(90)}`, input: '{"usd":"none"}' };
  const lines = failureLines(failure, terminal);
  expect(lines[0]).toBe('failed in tool:refund  a1');
  expect(lines[1]).toMatch(/^ {2}with {3}BankError: x+/);
  expect(lines[2]).toBe('  given  {"usd":"none"}');
  expect(Math.max(...lines.map(({ length }) => length))).toBeLessThanOrEqual(60);
});

it('says what failed inside of it, and nothing of a run that did not fail', () => {
  const inside = { spanId: 'b2', name: 'tool:pay', error: 'BankError', status: 'declined' };
  expect(failureLines({ spanId: 'a1', name: 'agent:clerk', inside }, terminal)).toEqual([
    'failed in agent:clerk  a1',
    '  with   (it does not say with what)',
    'before that, inside of it, failed tool:pay  b2',
    '  with   BankError',
    '  status declined',
  ]);
  expect(failureLines(undefined, terminal)).toEqual([]);
});
