import { buildRecording } from '@reenact/recordings/testing';
import { ATTR_REENACT_PROCESS_OCCURRENCE } from '@reenact/semconv/reenact';
import { describe, expect, it } from 'vitest';
import { certainProcessRun, opensRunAtEnd } from './recorded-process-run.ts';

const PARENT = '0000000000000001';
const typed = ['job'];

function recordingOf(...occurrences: readonly number[]) {
  const children = occurrences.map((occurrence) => ({
    label: 'agent:process' as const,
    input: typed,
    attributes: { [ATTR_REENACT_PROCESS_OCCURRENCE]: occurrence },
  }));
  return buildRecording({ label: 'agent:a', children });
}

function indexOf(recording: ReturnType<typeof recordingOf>, occurrence: number, of: readonly string[] = typed) {
  const run = certainProcessRun(recording, PARENT, { typed: of, occurrence, processId: undefined });
  return run && Number(run.attributes.get(ATTR_REENACT_PROCESS_OCCURRENCE));
}

describe('the recorded run of a process that was started', () => {
  it('is that of its place among those that were started alike', () => {
    expect([1, 2].map((occurrence) => indexOf(recordingOf(1, 2), occurrence))).toEqual([1, 2]);
  });

  it('is none where the one of its place made no call, also where another did', () => {
    expect([1, 2].map((occurrence) => indexOf(recordingOf(2), occurrence))).toEqual([undefined, 2]);
  });

  it('is the only one where what is typed behind its script has changed', () => {
    expect(indexOf(recordingOf(1), 1, ['another'])).toBe(1);
    expect(indexOf(recordingOf(1, 2), 1, ['another'])).toBeUndefined();
  });
});

describe('a process of a replay that makes no call', () => {
  const call = { label: 'tool:look' as const };
  const recordingWith = (...calls: readonly (readonly (typeof call)[])[]) =>
    buildRecording({
      label: 'agent:a',
      children: calls.map((children) => ({ label: 'agent:process' as const, children })),
    });

  it('opens its run as it ends where it enclosed nothing, and never where it did', () => {
    const recording = recordingWith([], [call]);
    const [quiet, calling] = recording.crossings.filter(({ name }) => name === 'process');
    expect(opensRunAtEnd(recording, PARENT, quiet, false)).toBe(true);
    expect(opensRunAtEnd(recording, PARENT, calling, true)).toBe(false);
  });

  it('opens that of another where it is not certain which is its own, and the code of the run has started it', () => {
    expect(opensRunAtEnd(recordingWith([], [call]), PARENT, undefined, true)).toBe(true);
    expect(opensRunAtEnd(recordingWith([], [call]), PARENT, undefined, false)).toBe(false);
    // As recordings were before such runs were recorded.
    expect(opensRunAtEnd(recordingWith([call], [call]), PARENT, undefined, true)).toBe(false);
    expect(opensRunAtEnd(recordingWith([]), undefined, undefined, true)).toBe(false);
  });
});
