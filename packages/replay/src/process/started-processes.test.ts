import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setImmediate as turn } from 'node:timers/promises';
import { buildRecording } from '@reenact/recordings/testing';
import type { Recording } from '@reenact/trace-model';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { ReplayEvent, StampedEvent } from '../events/replay-event.ts';
import { mayCallMore } from '../report/may-call-more.ts';
import { awaitStartedProcesses } from './started-processes.ts';

let directory: string;
let started: ChildProcess;
let notes: string[];

beforeEach(async () => {
  directory = mkdtempSync(join(tmpdir(), 'reenact-started-'));
  notes = [];
  started = spawn(process.execPath, ['--eval', 'setInterval(() => undefined, 1_000)'], { stdio: 'ignore' });
  await once(started, 'spawn');
});

afterEach(async () => {
  if (started.signalCode === null && started.kill('SIGKILL')) await once(started, 'exit');
  rmSync(directory, { recursive: true, force: true });
});

function recordingOf(outcome: 'returned' | 'pending'): Recording {
  return buildRecording({ label: 'agent:a', children: [{ label: 'agent:process', outcome }] });
}

/** Has the processes of the replay report that one was started, and that of the recorded ones this many were met. */
function report({ crossings }: Recording, metCount: number): void {
  const met = crossings.slice(0, metCount).map(
    ({ path, spanId }, crossing): ReplayEvent => ({
      type: 'met',
      crossing,
      path,
      answer: 'rerun',
      recordedSpanId: spanId,
      compared: true,
    }),
  );
  const events: ReplayEvent[] = [...met, { type: 'started', number: started.pid ?? 0 }];
  const lines = events.map((event, index) => `${JSON.stringify({ processId: '1', atUs: index, event })}\n`);
  writeFileSync(join(directory, 'report-1.ndjson'), lines.join(''));
}

function awaited(recording: Recording, idleMs?: number): Promise<void> {
  const rootSpanId = recording.roots[0]?.spanId ?? '';
  const onNote = (text: string): void => void notes.push(text);
  const isMissed = (events: readonly StampedEvent[]): boolean => mayCallMore(recording, rootSpanId, events);
  const options = { directory, path: 'agent:a', isMissed, onNote, idleMs };
  return awaitStartedProcesses(options, AbortSignal.abort());
}

describe('a process that goes on after the command of a replay', () => {
  it.each([
    ['was recorded and has not begun', 1],
    ['may call more than was recorded', 2],
  ])('is waited for while it %s', async (_, metCount) => {
    const recording = recordingOf('returned');
    report(recording, metCount);
    let isOver = false;
    const waited = awaited(recording).then(() => {
      isOver = true;
    });
    await turn();
    expect(isOver).toBe(false);
    started.kill('SIGKILL');
    await waited;
    expect(notes).toEqual([]);
  });

  it('is left where it reports nothing for too long', async () => {
    const recording = recordingOf('returned');
    report(recording, 1);
    await awaited(recording, 1_000);
    expect(notes).toEqual([
      'A process that agent:a had started went on after the command, and called nothing for 1 seconds: the replay ended without it.',
    ]);
  });

  it.each([
    ['all of what it does is called, and it went on when it was recorded, too', recordingOf('pending'), 2],
    ['nothing was recorded of such a process', buildRecording({ label: 'agent:a' }), 1],
  ])('is not waited for where %s', async (_, recording, metCount) => {
    report(recording, metCount);
    await awaited(recording);
    expect([started.exitCode, started.signalCode, notes]).toEqual([null, null, []]);
  });
});
