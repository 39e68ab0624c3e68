import { context } from '@opentelemetry/api';
import { AsyncLocalStorageContextManager } from '@opentelemetry/context-async-hooks';
import { agent, tool } from '@reenact/instrumentation';
import { buildRecording } from '@reenact/recordings/testing';
import type { Recording } from '@reenact/trace-model';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { replay } from '../replay.ts';
import { replayAll } from '../replay-all.ts';

beforeAll(() => {
  context.setGlobalContextManager(new AsyncLocalStorageContextManager().enable());
});

afterAll(() => {
  context.disable();
});

const double = tool('double', async (number: number): Promise<number> => {
  throw new TypeError(`${number} was doubled for real`);
});
const quadruple = agent('quadruple', async (number: number) => double(await double(number)));

function recordingOf(number: number, result = number * 4): Recording {
  return buildRecording({
    label: 'agent:quadruple',
    input: [number],
    output: result,
    children: [
      { label: 'tool:double', input: [number], output: number * 2 },
      { label: 'tool:double', input: [number * 2], output: number * 4 },
    ],
  });
}

describe('replay with an entry', () => {
  it('calls it with the recorded input', async () => {
    const report = await replay({ recording: recordingOf(3), entry: quadruple });
    expect(report).toMatchObject({ verdict: 'reproduced', value: 12, counts: { stubbed: 2, rerun: 1 } });
  });

  it('re-runs a part of a run', async () => {
    const recording = buildRecording({ label: 'agent:a', children: [{ label: 'tool:half', input: [8], output: 4 }] });
    const half = tool('half', (number: number) => number / 2);
    const rootSpanId = recording.crossings[1]?.spanId;
    expect(await replay({ recording, rootSpanId, entry: half })).toMatchObject({ verdict: 'reproduced', value: 4 });
  });

  it('gives what it threw', async () => {
    const failing = agent('quadruple', async (_number: number): Promise<number> => {
      throw new RangeError('too large');
    });
    const report = await replay({ recording: recordingOf(3), entry: failing });
    expect(report.error).toBeInstanceOf(RangeError);
    expect(report.divergences[0]?.kind).toBe('outcome-changed');
  });

  it('proves nothing where the function is not the boundary', async () => {
    const report = await replay({ recording: recordingOf(3), entry: async (number: number) => double(number) });
    expect(report).toMatchObject({ verdict: 'unverified', exitCode: 2 });
    expect(report.notes).toContainEqual(expect.stringContaining('name the wrapped function'));
  });

  it('takes run or entry, not both', async () => {
    const both = { recording: recordingOf(3), entry: quadruple, run: () => quadruple(3) };
    const { run: _run, entry: _entry, ...neither } = both;
    // Neither is possible in TypeScript; a caller in JavaScript can do both.
    const replayUnchecked = replay as (options: unknown) => Promise<unknown>;
    for (const options of [both, neither]) {
      await expect(replayUnchecked(options)).rejects.toMatchObject({ code: 'bad-argument' });
    }
  });
});

describe('replaying many recordings', () => {
  it('reports each by itself, in order, and leaves nothing behind', async () => {
    const recordings = [recordingOf(1), recordingOf(2, 7), recordingOf(3)];
    const fetchBefore = globalThis.fetch;
    const reports = await replayAll({ recordings, entry: quadruple });
    expect(reports.map(({ verdict }) => verdict)).toEqual(['reproduced', 'diverged', 'reproduced']);
    expect(reports.map(({ outcome }) => outcome?.replayed)).toEqual([4, 8, 12].map((value) => `{"returned":${value}}`));
    expect(globalThis.fetch).toBe(fetchBefore);
  });
});
