import { buildRecording, type CrossingPlan } from '@reenact/recordings/testing';
import type { Crossing, Outcome } from '@reenact/trace-model';
import { encodeValue } from '@reenact/trace-model';
import { expect, it } from 'vitest';
import { behindWhatIsKnown } from './behind-what-is-known.ts';

const [before, after] = [5_000n, 20_000n];

/** A crossing whose process was killed, and two others: one that began before what is known of it came, and one behind. */
function around(outcome: Outcome, more: Partial<Crossing> = {}): { open: Crossing; early: Crossing; late: Crossing } {
  const children: CrossingPlan[] = [{ label: 'tool:open' }, { label: 'tool:early' }, { label: 'tool:late' }];
  const [open, early, late] = buildRecording({ label: 'agent:a', children }).crossings.slice(1) as [
    Crossing,
    Crossing,
    Crossing,
  ];
  const begun = open.startTimeUnixNano;
  return {
    open: { ...open, call: 'async-iterator', outcome, ...more },
    early: { ...early, startTimeUnixNano: begun + before },
    late: { ...late, startTimeUnixNano: begun + after },
  };
}

const chunks = [{ offsetUs: 10, value: encodeValue('a').payload }];

it('is what began behind the last value of a stream that is known', () => {
  const { open, early, late } = around({ type: 'pending', chunks });
  const { calls, note } = behindWhatIsKnown([open], [early, late]);
  expect([...calls]).toEqual([late]);
  expect(note).toBe(
    'What came last of agent:a/tool:open may not have been on the disk when the process was stopped, so that 1 call recorded behind it could not be reached, and is not compared: agent:a/tool:late.',
  );
});

it('is what began behind the last piece of an answer over the wire', () => {
  const { open, early, late } = around({ type: 'pending' }, { call: 'exchange' });
  const response = { status: 200, headers: [], headersAfterUs: 1, chunks: [[10, 'a']], end: 'open', endAfterUs: 10 };
  const exchange = { layer: 'fetch', attempt: 0, startedAtUnixNano: String(open.startTimeUnixNano), response };
  const exchanges = [exchange] as unknown as Crossing['exchanges'];
  expect([...behindWhatIsKnown([{ ...open, exchanges }], [early, late]).calls]).toEqual([late]);
  // Of an answer of which nothing is known all may have come of it.
  expect([...behindWhatIsKnown([open], [early, late]).calls]).toEqual([early, late]);
});

it('is nothing where no answer was open, the replay did not come to it, or went on behind the call', () => {
  const { open, late } = around({ type: 'pending', chunks });
  const none = { calls: new Set(), note: undefined };
  expect(behindWhatIsKnown([], [late])).toEqual(none);
  expect(behindWhatIsKnown([{ ...open, outcome: { type: 'ended', chunks } }], [late])).toEqual(none);
  expect(behindWhatIsKnown([{ ...open, outcome: { type: 'pending' }, call: 'promise' }], [late])).toEqual(none);
  // Whoever went on behind it was not led to it by what is not known.
  const later = { ...late, spanId: 'f'.repeat(16), startTimeUnixNano: late.startTimeUnixNano + 1n };
  expect(behindWhatIsKnown([open, later], [late])).toEqual(none);
});
