import { buildRecording } from '@reenact/recordings/testing';
import { describe, expect, it } from 'vitest';
import { ServedWork } from './served-work.ts';

/** Two pieces of work that began after 2 and 4 events, and ended as the events 6 and 5. */
const twoPieces = [2, 4, 10_000, 2, 1, -2_000];

function served(triples = twoPieces): ServedWork {
  const recording = buildRecording({ label: 'agent:a', startUs: 0, endUs: 1_000 });
  const [root] = recording.crossings;
  if (root === undefined) throw new TypeError('a recording has a root');
  const draws = { work: { 'fs.stat': triples } };
  const withWork = { ...recording, bySpanId: new Map([[root.spanId, { ...root, draws }]]) };
  return new ServedWork(withWork, 0n);
}

const spanId = buildRecording({ label: 'agent:a', startUs: 0, endUs: 1_000 }).crossings[0]?.spanId ?? '';

describe('recorded work', () => {
  it('is told by how far the run had come when it began, whichever begins first', () => {
    const work = served();
    expect(work.take(spanId, 'fs.stat', 4)).toMatchObject({ order: 5, hasFired: true, ordinal: 1 });
    expect(work.take(spanId, 'fs.stat', 2)).toMatchObject({ order: 6, hasFired: true, ordinal: 0 });
    expect(work.take(spanId, 'fs.stat', 2)).toBeUndefined();
  });

  it('is the next one where it begins earlier than it did, and none that has ended by then', () => {
    const work = served();
    expect(work.take(spanId, 'fs.stat', 0)).toMatchObject({ ordinal: 0 });
    expect(work.take(spanId, 'fs.stat', 6)).toBeUndefined();
    expect(work.take(spanId, 'fs.stat', 5)).toMatchObject({ ordinal: 1 });
    expect(work.take(spanId, 'fs.read', 0)).toBeUndefined();
  });

  it('is before the next one where that was over at once, and begins later than it did', () => {
    const work = served([2, -1, 10_000, 0, 4, 1_000]);
    expect(work.take(spanId, 'fs.stat', 3)).toMatchObject({ hasFired: false, ordinal: 0 });
    expect(work.take(spanId, 'fs.stat', 3)).toMatchObject({ order: 6, ordinal: 1 });
  });
});
