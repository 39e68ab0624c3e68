import type { RunSummary } from '@reenact/trace-model/collector-api';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Stage } from '../scenarios/stage.ts';
import { listRuns, replayAsJson, setSmallStage } from './small-stage.ts';

// Each replay starts a driver, a program, and a program for each run.
const caseMs = 180_000;

let stage: Stage;
let runs: RunSummary[];
let lines: string[];

beforeAll(async () => {
  stage = await setSmallStage();
  const hooked = { NODE_OPTIONS: '--import=reenact/register' };
  const { stdout, stderr, exitCode } = await stage.node(['batch-children.ts'], hooked);
  expect([exitCode, stderr]).toEqual([0, '']);
  lines = stdout.trim().split('\n');
  runs = (await listRuns(stage)).toSorted((left, right) => left.startedAt.localeCompare(right.startedAt));
}, caseMs);

afterAll(() => stage.stop());

describe('runs that start programs, in a process that does things before and between them', () => {
  it(
    'are each replayed by the command, with the numbers that the programs drew then',
    async () => {
      const jobs = runs.filter(({ name }) => name === 'agent:job');
      expect(jobs).toHaveLength(3);
      for (const [index, { rootSpanId }] of jobs.entries()) {
        const environment = { TOOL_MUST_NOT_RUN: '1' };
        const { report, result } = await replayAsJson(stage, rootSpanId, 'batch-children.ts', { environment });
        expect(report).toMatchObject({ exitCode: 0, rootSpanId, counts: { stubbed: 2, rerun: 2, refused: 0 } });
        expect(report.setUp).toMatchObject({ recorded: index + 1, stubbed: index + 1, notMade: [] });
        if (index > 0) expect(report.runsBeside).toMatchObject({ begun: index, stubbed: 2 * index, diverged: 0 });
        for (const line of lines.slice(0, index + 2)) expect(result.stderr).toContain(line);
        expect(result.stderr).not.toContain('the tool ran');
      }
    },
    caseMs,
  );

  it(
    'are answered beside the run of the process, too',
    async () => {
      const whole = runs.find(({ name }) => name === 'agent:process');
      const environment = { TOOL_MUST_NOT_RUN: '1' };
      const { report, result } = await replayAsJson(stage, whole?.rootSpanId ?? '', 'batch-children.ts', {
        environment,
      });
      expect(report).toMatchObject({ exitCode: 0, counts: { recorded: 5, stubbed: 4, rerun: 1, refused: 0 } });
      expect(report.runsBeside).toMatchObject({ place: 0, recorded: 3, begun: 3, stubbed: 6, diverged: 0 });
      for (const line of lines) expect(result.stderr).toContain(line);
      expect(result.stderr).not.toContain('the tool ran');
    },
    caseMs,
  );
});
