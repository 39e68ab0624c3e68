import type { CrossingNode } from '@reenact/trace-model/collector-api';
import { expect, it } from 'vitest';
import { failedCrossings } from './failed-crossings.ts';

/** Crossings named by a letter, each below the one that is named before it: `ab` is b below a. What they threw stands behind a colon. */
function tree(...planned: string[]): CrossingNode[] {
  return planned.map((plan) => {
    const [place = '', error] = plan.split(':');
    const parent = place.at(-2);
    const threw = { outcome: 'threw', errorType: error, output: `✗ ${error}` };
    const members = error === undefined ? { outcome: 'returned' } : threw;
    return {
      spanId: place.at(-1),
      ...(parent === undefined ? {} : { parentSpanId: parent }),
      ...members,
    } as CrossingNode;
  });
}

const namesOf = (...planned: string[]): string =>
  failedCrossings(tree(...planned))
    .map(({ spanId }) => spanId)
    .join('');

it('names the crossing whose error ended the run, of several that failed', () => {
  expect(namesOf('a:Broker', 'ab:Broker', 'ac:Late')).toBe('b');
  expect(namesOf('a:Broker', 'ab:Broker', 'bc:Broker', 'ad:Broker', 'ae')).toBe('d');
  expect(namesOf('a:Order', 'ab:Order', 'bc:Broker')).toBe('b');
});

it('names the run and the last failure inside, where the error is its own', () => {
  expect(namesOf('a:Order', 'ab:Broker', 'ac:Late', 'ad')).toBe('ac');
  expect(namesOf('a:Order', 'ab')).toBe('a');
});

it('leaves alone what failed elsewhere, and is nothing where nothing failed', () => {
  expect(namesOf('a', 'ab:Order', 'bc:Broker', 'ad:Late')).toBe('d');
  expect(namesOf('a', 'ab')).toBe('');
  expect(namesOf()).toBe('');
});
