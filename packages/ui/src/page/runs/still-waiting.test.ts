import { describe, expect, it } from 'vitest';
import { stillWaiting } from './still-waiting.ts';

const toldOf = (traceIds: readonly string[]) => new Map(traceIds.map((traceId) => [traceId, 'left' as const]));
const nothing = toldOf([]);

describe('runs that wait for their summary', () => {
  it('are fewer by those that were told since', () => {
    const list = { unsummarisedRuns: 70, unsummarisedTraceIds: ['a', 'b'] };
    expect(stillWaiting(list, nothing, nothing)).toBe(70);
    expect(stillWaiting(list, toldOf(['a', 'c']), nothing)).toBe(69);
    expect(stillWaiting({}, toldOf(['a']), nothing)).toBe(0);
  });

  it('are not fewer by what was told before the list alone', () => {
    const list = { unsummarisedRuns: 1, unsummarisedTraceIds: ['a'] };
    const before = toldOf(['a']);
    expect(stillWaiting(list, before, before)).toBe(1);
  });
});
