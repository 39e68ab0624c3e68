import { existsSync, mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import type { ReplayReport } from '@reenact/trace-model';
import type { RunSummary } from '@reenact/trace-model/collector-api';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { Stage } from '../scenarios/stage.ts';
import { listRuns, recordRun, replayAsJson, setSmallStage } from './small-stage.ts';

const script = 'after-run.ts';
let stage: Stage;
let folder: string;

beforeAll(async () => {
  stage = await setSmallStage();
  mkdirSync(join(stage.folder, 'temporary'));
  folder = join(stage.folder, 'kept');
});

afterAll(() => stage.stop());

beforeEach(() => {
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder);
});

const kept = (): boolean => existsSync(join(folder, 'answer.txt')) || existsSync(join(folder, 'answer.txt.db'));

function environmentOf(way: string): NodeJS.ProcessEnv {
  return { VIA: way, FOLDER: folder, TMPDIR: join(stage.folder, 'temporary') };
}

async function verdictOf({ rootSpanId }: RunSummary): Promise<string> {
  const { stdout } = await stage.reenact(['show', rootSpanId, '--json']);
  return (JSON.parse(stdout) as { replayability: { verdict: string } }).replayability.verdict;
}

/** Replays a run without what its program had kept, and says whether that is there again. */
async function replayed(run: RunSummary, way: string, flags: readonly string[] = []) {
  rmSync(folder, { recursive: true });
  mkdirSync(folder);
  const { report, result } = await replayAsJson(stage, run.rootSpanId, script, {
    environment: environmentOf(way),
    flags,
  });
  return { report, printed: result.stderr, isKept: kept() };
}

function kindsOf({ divergences }: ReplayReport): string[] {
  return divergences.map(({ kind }) => kind);
}

describe('what a program does to the world after its run', () => {
  it.each(['write', 'promise', 'stream', 'database', 'program'])(
    'is refused in a replay, which is judged without it and says that the program failed: %s',
    async (way) => {
      const { run } = await recordRun(stage, script, environmentOf(way));
      expect([kept(), await verdictOf(run)]).toEqual([true, 'full']);
      const { report, printed, isKept } = await replayed(run, way);
      expect(isKept).toBe(false);
      expect(report).toMatchObject({ verdict: 'reproduced', exitCode: 0, divergences: [] });
      const notes = report.notes.join('\n');
      expect(notes).toMatch(/(answer\.txt|touch).* was refused: .*after agent:keeper had ended.*after-run\.ts:\d+/);
      expect(notes).toMatch(way === 'program' ? /--allow-program touch/ : /--allow-path \S+answer\.txt/);
      if (way === 'program') return;
      expect(report.agentExit).toBe('exit code 1');
      expect(notes).toMatch(/ended with exit code 1: what was refused after the run may be why/);
      expect(printed).toMatch(/ReenactError: .*answer\.txt.* was refused/);
    },
  );

  it('fails there as it would by itself, which code that is prepared for it survives', async () => {
    const { run } = await recordRun(stage, script, environmentOf('handled'));
    const { report, printed, isKept } = await replayed(run, 'handled');
    expect(report).toMatchObject({ verdict: 'reproduced', exitCode: 0, agentExit: 'exit code 0' });
    expect([isKept, report.notes.join().includes('may be why')]).toEqual([false, false]);
    expect(printed).toContain('not kept: replay-refused');
  });

  it('is done in a replay that allows it', async () => {
    const { run } = await recordRun(stage, script, environmentOf('write'));
    const { report, isKept } = await replayed(run, 'write', ['--allow-path', folder]);
    expect(report).toMatchObject({ verdict: 'reproduced', agentExit: 'exit code 0' });
    expect(isKept).toBe(true);
  });
});

/** The runs of a program that goes through that of its keeper and another one. */
async function recordBoth(way: string): Promise<readonly [RunSummary, RunSummary]> {
  const known = new Set((await listRuns(stage)).map(({ rootSpanId }) => rootSpanId));
  const { exitCode, stderr } = await stage.node(['--import', 'reenact/register', script], environmentOf(way));
  expect([exitCode, stderr]).toEqual([0, '']);
  const added = (await listRuns(stage)).filter(({ rootSpanId }) => !known.has(rootSpanId));
  const keeper = added.find(({ name }) => name === 'agent:keeper');
  const waiter = added.find(({ name }) => name === 'agent:waiter');
  if (keeper === undefined || waiter === undefined) throw new Error(`${added.length} runs, and not those two`);
  return [keeper, waiter];
}

describe('what is still no note', () => {
  it('is what the run does once it has ended', async () => {
    const { run } = await recordRun(stage, script, environmentOf('late'));
    const { report, isKept } = await replayed(run, 'late');
    expect([report.exitCode, kindsOf(report), isKept]).toEqual([3, ['forbidden'], false]);
  });

  it('is what comes before the run that is replayed, or while another one goes on', async () => {
    const [keeper, waiter] = await recordBoth('between');
    const after = await replayed(keeper, 'between');
    expect([await verdictOf(keeper), after.report.exitCode, kindsOf(after.report)]).toEqual(['full', 0, []]);
    const before = await replayed(waiter, 'between');
    expect([await verdictOf(waiter), before.report.exitCode, kindsOf(before.report)]).toEqual([
      'partial',
      3,
      ['forbidden'],
    ]);
    const [ended] = await recordBoth('beside');
    const beside = await replayed(ended, 'beside');
    expect([beside.report.exitCode, kindsOf(beside.report), beside.isKept]).toEqual([3, ['forbidden'], false]);
  });
});
