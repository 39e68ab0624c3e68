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

describe('what goes on outside of the run', () => {
  it('is noted where the run itself does it once it has ended', async () => {
    const { run } = await recordRun(stage, script, environmentOf('late'));
    const { report, isKept } = await replayed(run, 'late');
    expect([await verdictOf(run), report.verdict, report.exitCode, isKept]).toEqual(['full', 'reproduced', 0, false]);
    expect(report.notes.join('\n')).toMatch(
      /answer\.txt was refused: .*after agent:keeper had ended .*after-run\.ts:\d+/,
    );
    expect(report.notes.join('\n')).toMatch(/ended with exit code 1: what was refused after the run may be why/);
  });

  it('is said beforehand where code inside goes on behind its own end while the run does, and refused there', async () => {
    const { run } = await recordRun(stage, script, environmentOf('inner'));
    const { report, isKept } = await replayed(run, 'inner');
    expect([await verdictOf(run), report.exitCode, kindsOf(report), isKept]).toEqual([
      'partial',
      3,
      ['forbidden'],
      false,
    ]);
  });

  it('is said beforehand of what the run set going and did not wait for, and forbidden there', async () => {
    const { run } = await recordRun(stage, script, environmentOf('set-going'));
    const { report, isKept } = await replayed(run, 'set-going');
    expect([await verdictOf(run), report.exitCode, kindsOf(report), isKept]).toEqual([
      'partial',
      3,
      ['forbidden'],
      false,
    ]);
  });

  it('is said beforehand where it comes while a run goes on, and noted where that goes the same way', async () => {
    const { run } = await recordRun(stage, script, environmentOf('meanwhile'));
    const shown = await stage.reenact(['show', run.rootSpanId]);
    expect(shown.stdout).toMatch(
      /partial[\s\S]*inside a tool\(\)[\s\S]*agent:keeper beside the run: file \S*answer\.txt/,
    );
    const { report, isKept } = await replayed(run, 'meanwhile');
    expect([report.verdict, report.exitCode, isKept]).toEqual(['reproduced', 0, false]);
    expect(report.notes.join('\n')).toMatch(
      /answer\.txt was refused: .*outside of every run \(\S*after-run\.ts:\d+:\d+\), while agent:keeper went on\. To let it happen: --allow-path \S+answer\.txt\. Nothing of the run differed/,
    );
  });

  it('is forbidden, and the cause, where the run went another way for it', async () => {
    const { run } = await recordRun(stage, script, environmentOf('read'));
    const { report, isKept } = await replayed(run, 'read');
    expect([await verdictOf(run), report.exitCode, isKept]).toEqual(['partial', 3, false]);
    expect(report.divergences.map(({ kind, causedBy }) => [kind, causedBy?.divergence])).toEqual([
      ['forbidden', undefined],
      ['outcome-changed', report.divergences[0]?.id],
    ]);
  });
});

describe('what goes on outside of several runs', () => {
  it('is still no note before the run that is replayed', async () => {
    const [keeper, waiter] = await recordBoth('between');
    const after = await replayed(keeper, 'between');
    expect([await verdictOf(keeper), after.report.exitCode, kindsOf(after.report)]).toEqual(['full', 0, []]);
    const before = await replayed(waiter, 'between');
    expect([await verdictOf(waiter), before.report.exitCode, kindsOf(before.report)]).toEqual([
      'partial',
      3,
      ['forbidden'],
    ]);
  });

  it('is noted while another run goes on, whose recording says it', async () => {
    const [ended, waiting] = await recordBoth('beside');
    expect([await verdictOf(ended), await verdictOf(waiting)]).toEqual(['full', 'partial']);
    const { report, isKept } = await replayed(ended, 'beside');
    expect([report.exitCode, kindsOf(report), isKept]).toEqual([0, [], false]);
    expect(report.notes.join('\n')).toMatch(/answer\.txt was refused: .*Nothing of the run differed/);
  });

  it('is told of a run before the one that is replayed, and said of that', async () => {
    const [keeper, waiter] = await recordBoth('late-caught');
    const { report, isKept } = await replayed(waiter, 'late-caught');
    expect([await verdictOf(keeper), await verdictOf(waiter)]).toEqual(['full', 'partial']);
    expect([report.verdict, report.exitCode, isKept]).toEqual(['reproduced', 0, false]);
    expect(report.notes.join('\n')).toMatch(/In run 1 of the process, agent:keeper .*answer\.txt was refused/);
  });
});
