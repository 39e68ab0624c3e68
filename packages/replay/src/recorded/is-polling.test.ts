import { buildRecording } from '@reenact/recordings/testing';
import type { Crossing } from '@reenact/trace-model';
import { describe, expect, it } from 'vitest';
import { isPolling } from './is-polling.ts';

const ms = 1_000;

/** Requests before a run, each of which takes a millisecond. */
function requests(...asked: readonly (readonly [startMs: number, method: string, url: string])[]): readonly Crossing[] {
  const children = asked.map(([startMs, method, url]) => ({
    label: 'http:GET api' as const,
    input: { method, url, headers: [] },
    startUs: startMs * ms,
    endUs: (startMs + 1) * ms,
  }));
  return buildRecording({ label: 'agent:process', startUs: 0, endUs: 10_000 * ms, children }).crossings.slice(1);
}

describe('a process polls', () => {
  it.each<[string, readonly Crossing[]]>([
    ['the same', requests([0, 'GET', 'http://api/flags'], [1, 'GET', 'http://api/flags'])],
    [
      'what is new since a time',
      requests([0, 'GET', 'http://api/new?since=1'], [500, 'GET', 'http://api/new?since=2']),
    ],
  ])('where it asks for %s', (_name, setUp) => {
    expect(isPolling(setUp)).toBe(true);
  });
});

describe('a process does not poll', () => {
  it.each<[string, readonly Crossing[]]>([
    ['one page after the other', requests([0, 'GET', 'http://api/all?page=1'], [2, 'GET', 'http://api/all?page=2'])],
    ['other addresses', requests([0, 'GET', 'http://api/flags'], [500, 'GET', 'http://api/prices'])],
    ['in another way', requests([0, 'GET', 'http://api/flags'], [500, 'POST', 'http://api/flags'])],
  ])('where it asks for %s', (_name, setUp) => {
    expect(isPolling(setUp)).toBe(false);
  });
});
