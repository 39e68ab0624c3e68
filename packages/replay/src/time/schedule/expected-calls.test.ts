import { recordedTimeline } from '@reenact/recordings';
import { buildRecording } from '@reenact/recordings/testing';
import { CANONICAL_POLICIES, type Crossing } from '@reenact/trace-model';
import { describe, expect, it } from 'vitest';
import { ExpectedCalls } from './expected-calls.ts';

function expectedOver() {
  const recording = buildRecording({
    label: 'agent:a',
    startUs: 0,
    endUs: 1_000,
    children: [
      {
        label: 'tool:first',
        startUs: 100,
        endUs: 150,
        children: [{ label: 'http:GET host', startUs: 110, endUs: 120 }],
      },
      { label: 'agent:sub', startUs: 200, endUs: 400, children: [{ label: 'tool:inner', startUs: 300, endUs: 350 }] },
      { label: 'tool:last', startUs: 500, endUs: 600 },
    ],
  });
  const [root] = recording.roots;
  if (root === undefined) throw new TypeError('a recording has a root');
  const expected = new ExpectedCalls(recording, recordedTimeline(root, recording.crossings));
  const named = (label: string): Crossing => {
    const found = recording.crossings.find(({ kind, name }) => `${kind}:${name}` === label);
    if (found === undefined) throw new TypeError(`no ${label}`);
    return found;
  };
  return { expected, root, named };
}

describe('calls that are still to be made', () => {
  it('begin with those of the run, the earliest first, once it is entered', () => {
    const { expected, root } = expectedOver();
    expect(expected.earliestUs).toBe(Number.POSITIVE_INFINITY);
    expected.made(root, true);
    expect(expected.earliestUs).toBe(100);
  });

  it('are none inside what is served', () => {
    const { expected, root, named } = expectedOver();
    expected.made(root, true);
    expected.made(named('tool:first'), false);
    expect(expected.earliestUs).toBe(200);
  });

  it('are none that have begun, the first of a name at a time', () => {
    const { expected, root, named } = expectedOver();
    expected.made(root, true);
    expect(expected.begun(root.spanId, { kind: 'tool', name: 'first' })).toBe(named('tool:first'));
    expect(expected.earliestUs).toBe(200);
    expect(expected.begun(root.spanId, { kind: 'tool', name: 'first' })).toBeUndefined();
    expect(expected.begun(root.spanId, { kind: 'http', name: 'last' })).toBeUndefined();
    expect(expected.earliestUs).toBe(200);
  });

  it('are those inside code that runs again, until it has ended', () => {
    const { expected, root, named } = expectedOver();
    expected.made(root, true);
    expected.made(named('tool:first'), false);
    expected.made(named('agent:sub'), true);
    expect(expected.earliestUs).toBe(300);
    expected.ended(named('agent:sub'));
    expect(expected.earliestUs).toBe(500);
    expected.ended(root);
    expect(expected.earliestUs).toBe(Number.POSITIVE_INFINITY);
  });

  it('are forgotten where nobody makes them', () => {
    const { expected, root } = expectedOver();
    expected.made(root, true);
    expected.giveUp(450);
    expect(expected.earliestUs).toBe(500);
  });

  it('are no input that came before the run', () => {
    const stdin = { label: 'message:stdin', canonical: CANONICAL_POLICIES.delivery.name, endUs: 900 } as const;
    const children = [
      { ...stdin, startUs: 10, input: [{ place: 0, data: 'hello', isBefore: true }] },
      { ...stdin, startUs: 20, input: [{ place: 1, data: 'again' }] },
    ];
    const recording = buildRecording({ label: 'agent:a', startUs: 0, endUs: 1_000, children });
    const [root] = recording.roots;
    if (root === undefined) throw new TypeError('a recording has a root');
    const expected = new ExpectedCalls(recording, recordedTimeline(root, recording.crossings));
    expected.made(root, true);
    expect(expected.earliestUs).toBe(20);
  });
});
