import { existsSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { CommandResult } from '../scenarios/run-command.ts';
import type { Stage } from '../scenarios/stage.ts';
import { recordRun, replayAsJson, setSmallStage } from './small-stage.ts';

let stage: Stage;
let folder: string;

beforeAll(async () => {
  stage = await setSmallStage();
  // What lies elsewhere is not temporary then.
  mkdirSync(join(stage.folder, 'temporary'));
  folder = join(stage.folder, 'kept');
  mkdirSync(folder);
});

afterAll(async () => {
  await stage.stop();
});

interface Seen {
  readonly replayability: { readonly verdict: string; readonly missing: readonly { readonly detail?: string }[] };
  readonly text: string;
  readonly replayed: CommandResult;
  readonly kinds: readonly string[];
}

/** What is said of a run that changes files by `way`, and how its replay goes. */
async function recordAndReplay(way: string, flags: readonly string[] = []): Promise<Seen> {
  const environment = { VIA: way, FOLDER: folder, TMPDIR: join(stage.folder, 'temporary') };
  const { run, recorded } = await recordRun(stage, 'writing.ts', environment);
  expect([recorded.exitCode, recorded.stderr]).toEqual([0, '']);
  const shown = await stage.reenact(['show', run.rootSpanId, '--json']);
  const { stdout: text } = await stage.reenact(['show', run.rootSpanId]);
  const { replayability } = JSON.parse(shown.stdout) as Pick<Seen, 'replayability'>;
  const { report, result } = await replayAsJson(stage, run.rootSpanId, 'writing.ts', { environment, flags });
  return { replayability, text, replayed: result, kinds: report.divergences.map(({ kind }) => kind) };
}

describe('a file that an agent changes outside of its tools', () => {
  it.each([
    ['report', 'file %/report.md'],
    ['promise', 'file %/report.md'],
    ['append', 'file %/agent.log'],
    ['stream', 'file %/stream.txt'],
    ['handle', 'file %/handle.txt'],
    ['folder', 'file %/made'],
    ['suppressed', 'file %/spans.json'],
    ['logger', 'file %/pino.log by sonic-boom'],
    ['set-up', 'before the run: file %/pino.log by sonic-boom'],
  ])('is said when it is recorded and refused in a replay: %s', async (way, place) => {
    const { replayability, replayed, kinds } = await recordAndReplay(way);
    expect(replayability).toMatchObject({
      verdict: 'partial',
      missing: [{ cause: 'unseen-connection', detail: place.replace('%', folder) }],
    });
    expect(replayed.exitCode).toBe(3);
    expect(kinds).toContain('forbidden');
  });

  it.each(['temporary', 'outputs', 'tool', 'none'])('is neither where a replay lets it happen: %s', async (way) => {
    const { replayability, replayed, kinds } = await recordAndReplay(way);
    expect(replayability).toMatchObject({ verdict: 'full', missing: [] });
    expect([replayed.exitCode, kinds]).toEqual([0, []]);
  });

  it('is changed in a replay that names it', async () => {
    const { text, replayed } = await recordAndReplay('append', ['--allow-path', join(folder, 'agent.log')]);
    expect(text).toMatch(/inside a tool\(\)[\s\S]*--allow-path/);
    expect([replayed.exitCode, existsSync(join(folder, 'agent.log'))]).toEqual([0, true]);
  });
});
