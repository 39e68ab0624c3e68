import type { Crossing, Outcome } from '@reenact/trace-model';
import { describe, expect, it } from 'vitest';
import { asFarAsKnown } from './as-far-as-known.ts';

const left: Outcome = { type: 'aborted', chunks: [], reader: 'satisfied' };

function readerOf(members: Partial<Crossing>, root: Outcome['type'] = 'pending'): unknown {
  const known = asFarAsKnown({ outcome: left, ...members } as Crossing, { outcome: { type: root } } as Crossing);
  return known.outcome.type === 'aborted' && known.outcome.reader;
}

describe('a stream that was open when its process ended', () => {
  it('has no reader that left it, whatever the recording says: the unchanged program reads on', () => {
    expect(readerOf({})).toBeUndefined();
  });

  it.each([
    ['that its reader left', readerOf({ settled: 3 })],
    ['that was being closed', readerOf({ closedUs: 20 })],
    ['of a run that ended', readerOf({}, 'returned')],
  ])('is none %s', (_, reader) => expect(reader).toBe('satisfied'));
});
