import { setTimeout as sleep } from 'node:timers/promises';
import { recordedTimeline } from '@reenact/recordings';
import { buildRecording } from '@reenact/recordings/testing';
import type { Crossing } from '@reenact/trace-model';
import { beforeEach, describe, expect, it, vi } from 'vitest';
import { ExpectedCalls } from '../time/schedule/expected-calls.ts';
import { ReleaseSchedule } from '../time/schedule/release-schedule.ts';
import { RunsInStep } from '../time/schedule/runs-in-step.ts';
import { RequestsToCome } from './requests-to-come.ts';

const startedAt = 1_000_000_000n;

/** The recorded request that came so many microseconds after the first. */
function requestAt(startUs: number): Crossing {
  const [root] = buildRecording({ label: 'agent:POST /ask', startUs, endUs: startUs + 1_000 }).crossings;
  if (root === undefined) throw new TypeError('a recording has a root');
  return { ...root, startTimeUnixNano: startedAt + BigInt(startUs) * 1_000n };
}

let inStep: RunsInStep;
let happened: string[];
let roots: Crossing[];
let toCome: RequestsToCome;

beforeEach(() => {
  inStep = new RunsInStep();
  happened = [];
});

function awaitRequests(...starts: readonly number[]): void {
  roots = starts.map(requestAt);
  const due = (root: Crossing): void => void happened.push(`due ${roots.indexOf(root)}`);
  toCome = new RequestsToCome({ roots, inStep, due });
}

function come(index: number): void {
  const root = roots[index];
  if (root === undefined) throw new TypeError('there is no such request');
  toCome.came(root);
}

/** The first request, whose two calls ended at these times, one made after the other. */
function goThrough(...ends: readonly number[]): Promise<void> {
  const children = ends.map((endUs, index) => ({
    label: 'tool:t' as const,
    startUs: (ends[index - 1] ?? 0) + 1,
    endUs,
    settled: index,
  }));
  const recording = buildRecording({ label: 'agent:POST /ask', startUs: 0, endUs: 1_000, settled: 9, children });
  const [root, ...calls] = recording.crossings;
  if (root === undefined) throw new TypeError('a recording has a root');
  const timeline = recordedTimeline(root, recording.crossings);
  const expected = new ExpectedCalls(recording, timeline);
  const schedule = new ReleaseSchedule(timeline, { expected, joinOthers: (run) => inStep.join(run, startedAt) });
  schedule.enterRun(root);
  schedule.made(root, true);
  return (async () => {
    for (const call of calls) {
      schedule.made(call, false);
      await schedule.releaseOf(call, () => undefined).settle();
      happened.push(`answered at ${timeline.settledUs(call)}`);
    }
    schedule.ended(root);
  })();
}

describe('a request that came while another went on', () => {
  it('is due when all has happened that came before it, and what came behind it waits until it is there', async () => {
    awaitRequests(0, 50);
    come(0);
    const over = goThrough(20, 80);
    await vi.waitFor(() => expect(happened).toEqual(['answered at 20', 'due 1']), { timeout: 10_000 });
    await sleep(50);
    expect(happened).toHaveLength(2);
    come(1);
    await over;
    expect(happened).toEqual(['answered at 20', 'due 1', 'answered at 80']);
  });

  it('is not waited for where it never comes', async () => {
    awaitRequests(0, 10, 900);
    come(0);
    await goThrough(20, 80);
    expect(happened).toEqual(['due 1', 'answered at 20', 'answered at 80']);
    await vi.waitFor(() => expect(happened.at(-1)).toBe('due 2'), { timeout: 10_000 });
  });
});
