import { recordedTimeline } from '@reenact/recordings';
import { describe, expect, it } from 'vitest';
import { recordingWithSetUp } from '../../testdata/recording-with-set-up.ts';
import { ReachedEvents } from './reached-events.ts';

describe('events that have been reached', () => {
  it('are counted for a run and for its process each by its own numbers', () => {
    const call = { label: 'tool:a' as const, settled: 0 };
    const recording = recordingWithSetUp({ label: 'agent:a', children: [call] }, [{ ...call, settled: 44 }]);
    const [root] = recording.roots;
    if (root === undefined) throw new TypeError('there is a root');
    const reached = new ReachedEvents(recordedTimeline(root, recording.crossings));
    for (const crossing of recording.setUps.get(root.spanId)?.crossings ?? []) reached.ended(crossing);
    expect([reached.count(true), reached.count(false)]).toEqual([45, 0]);
    for (const crossing of recording.crossings) if (crossing !== root) reached.ended(crossing);
    expect([reached.count(true), reached.count(false)]).toEqual([45, 1]);
    reached.fired({ hasFired: true, timeUs: 1, order: 50, isOutside: true });
    reached.fired({ hasFired: true, timeUs: 1, order: 3 });
    reached.fired({ hasFired: false, timeUs: 1, order: 9 });
    reached.fired(undefined);
    expect([reached.count(true), reached.count(false)]).toEqual([51, 4]);
  });
});
