import { expect, it } from 'vitest';
import type { CrossingDraft } from './dialect.ts';
import { joinLateEvents } from './late-events.ts';

function draftOf(spanId: string, endTimeUnixNano: bigint, draws?: CrossingDraft['draws']): CrossingDraft {
  return { spanId, endTimeUnixNano, ...(draws && { draws }) } as CrossingDraft;
}

it('gives a crossing the timers and the work that the last root of its run says of it, and leaves what it drew', () => {
  const said = (number: number) => ({ lateEvents: { inner: { timers: { 5: [0, number, 0] } }, gone: {} } });
  const drafts = new Map(
    [
      draftOf('later', 3n, said(2)),
      draftOf('inner', 1n, { 'Math.random': [0.5], timers: { 5: [0, -1, 0] }, work: { gzip: [0, 0, 0] } }),
      draftOf('root', 2n, said(1)),
      draftOf('other', 1n),
    ].map((draft) => [draft.spanId, draft]),
  );
  joinLateEvents(drafts);
  expect(drafts.get('inner')?.draws).toEqual({
    'Math.random': [0.5],
    timers: { 5: [0, 2, 0] },
    work: { gzip: [0, 0, 0] },
  });
  expect(drafts.get('other')).not.toHaveProperty('draws');
  expect(drafts.size).toBe(4);
});
