import { describe, expect, it } from 'vitest';
import { stillWaiting } from './still-waiting.ts';

const toldOf = (traceIds: readonly string[], passedOver: readonly string[] = []) => ({
  since: new Map(traceIds.map((traceId) => [traceId, 'left' as const])),
  passedOver: new Set(passedOver),
});
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

  it('are also those that were passed over behind the list, until they are told', () => {
    expect(stillWaiting({}, toldOf(['b'], ['a', 'b']), nothing)).toBe(1);
    const list = { unsummarisedRuns: 1, unsummarisedTraceIds: ['a'] };
    expect(stillWaiting(list, toldOf([], ['a']), nothing)).toBe(1);
    expect(stillWaiting({}, toldOf([], ['a']), toldOf([], ['a']))).toBe(0);
  });
});
