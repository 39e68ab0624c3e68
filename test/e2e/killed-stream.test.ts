import { afterAll, beforeAll, expect, it } from 'vitest';
import type { Stage } from '../scenarios/stage.ts';
import { listRuns, replayAsJson, setSmallStage } from './small-stage.ts';

const processesMs = 120_000;
/** It is killed after 60 values in 1.2 s; what is on the disk then was written in the second half of that. */
const KNOWN_MIN = 10;
const READ = 60;
let stage: Stage;

beforeAll(async () => {
  stage = await setSmallStage();
});

afterAll(() => stage.stop());

function linesOf(text: string, what: string): string[] {
  return text.split('\n').filter((line) => line.startsWith(`${what} `));
}

it.each([
  ['opened', 'word', 'had not ended'],
  ['opened large', 'word', 'had not ended'],
  ['rows', 'row', 'read on in agent:process/tool:rows'],
])(
  'gives a replay what a killed process had of a stream of values, and compares nothing behind it: %s',
  async (name, what, note) => {
    const script = ['killed-stream.ts', ...name.split(' ')];
    const recorded = await stage.node(['--import', 'reenact/register', ...script]);
    expect(linesOf(recorded.stdout, what)).toHaveLength(READ);
    expect((await stage.reenact(['spool', 'deliver'])).exitCode).toBe(0);
    const [run] = await listRuns(stage);
    const { stdout } = await stage.reenact(['show', run?.rootSpanId ?? '']);
    expect(stdout).toMatch(/had not ended when its process stopped; what had come: /);
    const { report, result } = await replayAsJson(stage, run?.rootSpanId ?? '', script);
    expect(report).toMatchObject({ exitCode: 0, verdict: 'reproduced', divergences: [] });
    expect(report.notes.join('\n')).toContain(note);
    expect(report.notes.join('\n')).toContain('What came last of such an answer may not have been on the disk then');
    const given = linesOf(result.stderr, what);
    expect(given.length).toBeGreaterThanOrEqual(KNOWN_MIN);
    expect(given.length).toBeLessThan(READ);
    expect(given).toEqual(linesOf(recorded.stdout, what).slice(0, given.length));
  },
  processesMs,
);

it.each([
  ['agent', 'agent:reading/tool:values'],
  ['process', 'agent:process/tool:values'],
  ['rows', 'agent:process/tool:rows'],
])(
  'calls no call missing that came of values which were not on the disk any more, and says that it is not verified: %s',
  async (name, stream) => {
    const script = ['killed-beside-stream.ts', name];
    const recorded = await stage.node(['--import', 'reenact/register', ...script]);
    expect(recorded.stdout).toContain('80: 160');
    expect((await stage.reenact(['spool', 'deliver'])).exitCode).toBe(0);
    const [run] = await listRuns(stage);
    const { report, result } = await replayAsJson(stage, run?.rootSpanId ?? '', script);
    expect(report).toMatchObject({ exitCode: 2, verdict: 'unverified', divergences: [] });
    expect(report.counts.unconsumed).toBeGreaterThan(0);
    expect(report.notes.join('\n')).toContain(`What came last of ${stream} may not have been on the disk`);
    const given = result.stderr.split('\n').filter((line) => /^\d+: \d+$/.test(line));
    expect(given.length).toBeGreaterThanOrEqual(KNOWN_MIN);
    expect(recorded.stdout.startsWith(`${given.join('\n')}\n`)).toBe(true);
  },
  processesMs,
);
