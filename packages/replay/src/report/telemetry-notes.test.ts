import { expect, it } from 'vitest';
import type { StampedEvent } from '../events/replay-event.ts';
import { TELEMETRY_HELD_COUNTED_MAX } from '../limits.ts';
import { telemetryNotes } from './telemetry-notes.ts';

type Held = readonly [processId: string, target: string, count: number];

function heldBy([processId, target, count]: Held): StampedEvent[] {
  return Array.from({ length: count }, () => ({
    processId,
    atUs: 0,
    event: { type: 'telemetry-held', target, allow: `--allow-host ${target}` },
  }));
}

const most = TELEMETRY_HELD_COUNTED_MAX;

const cases: readonly [string, Held, Held, readonly string[]][] = [
  [
    'all that two processes have counted',
    ['1', 'a', most - 1],
    ['2', 'a', most - 1],
    ['a was held back: 1,998 requests'],
  ],
  [
    'at least what a process has counted that counts no more, of each place',
    ['1', 'a', most - 10],
    ['1', 'b', 10],
    ['a was held back: at least 990 requests', 'b was held back: at least 10 requests'],
  ],
];

it.each(cases)('a report says of telemetry %s', (_case, first, second, expected) => {
  const notes = telemetryNotes([...heldBy(first), ...heldBy(second)]);
  expect(notes).toEqual(expected.map((text) => expect.stringContaining(text)));
});
