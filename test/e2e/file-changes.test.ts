import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
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
  readonly notes: readonly string[];
}

function isFound(found: RegExpExecArray | null): found is RegExpExecArray {
  return found !== null;
}

/** What is said of a run that changes files by `way`, and how its replay goes. */
async function recordAndReplay(
  way: string,
  flags: readonly string[] = [],
  between: () => void = () => undefined,
): Promise<Seen> {
  const environment = { VIA: way, FOLDER: folder, TMPDIR: join(stage.folder, 'temporary') };
  const { run, recorded } = await recordRun(stage, 'writing.ts', environment);
  expect([recorded.exitCode, recorded.stderr]).toEqual([0, '']);
  const shown = await stage.reenact(['show', run.rootSpanId, '--json']);
  const { stdout: text } = await stage.reenact(['show', run.rootSpanId]);
  const { replayability } = JSON.parse(shown.stdout) as Pick<Seen, 'replayability'>;
  between();
  const { report, result } = await replayAsJson(stage, run.rootSpanId, 'writing.ts', { environment, flags });
  const kinds = report.divergences.map(({ kind }) => kind);
  return { replayability, text, replayed: result, kinds, notes: report.notes };
}

describe('a file that an agent changes outside of its tools', () => {
  it.each([
    ['report', 'file %/report.md'],
    ['promise', 'file %/report.md'],
    ['stream', 'file %/stream.txt'],
    ['folder', 'file %/made'],
    ['read-back', 'file %/session.jsonl'],
    ['database', 'file %/notes.db'],
    ['opened', 'before the run: file %/notes.db'],
    ['snapshot', 'file %/now.heapsnapshot'],
  ])('is said when it is recorded and refused in a replay: %s', async (way, place) => {
    const { replayability, replayed, kinds } = await recordAndReplay(way);
    expect(replayability).toMatchObject({
      verdict: 'partial',
      missing: [{ cause: 'unseen-connection', detail: place.replace('%', folder) }],
    });
    expect(replayed.exitCode).toBe(3);
    expect(kinds).toContain('forbidden');
  });

  it.each(['temporary', 'outputs', 'tool', 'memory', 'wrapped', 'none'])(
    'is neither where a replay lets it happen: %s',
    async (way) => {
      const { replayability, replayed, kinds } = await recordAndReplay(way);
      expect(replayability).toMatchObject({ verdict: 'full', missing: [] });
      expect([replayed.exitCode, kinds]).toEqual([0, []]);
    },
  );

  it.each([
    ['append', 'agent.log'],
    ['handle', 'handle.txt'],
    ['suppressed', 'spans.json'],
    ['logger', 'pino.log'],
    ['set-up', 'pino.log'],
  ])('is let be in a replay where it is only added to, and what was added is told: %s', async (way, name) => {
    const file = join(folder, name);
    const { replayability, replayed, kinds, notes } = await recordAndReplay(way, [], () =>
      writeFileSync(file, 'kept\n'),
    );
    expect(replayability).toMatchObject({ verdict: 'full', missing: [] });
    expect([replayed.exitCode, kinds, readFileSync(file, 'utf8')]).toEqual([0, [], 'kept\n']);
    const told = notes.map((note) => /^What is appended to (\S+) went to (\S+) instead/.exec(note)).filter(isFound);
    expect(told.map(([, path]) => path)).toEqual([file]);
    expect(readFileSync(told[0]?.[2] ?? '', 'utf8')).toMatch(/forty-two|started/);
  });

  it('goes on where the folder of a log is not there, as it was when it was recorded', async () => {
    const { replayed, notes } = await recordAndReplay('log-folder', [], () =>
      rmSync(join(folder, 'logs'), { recursive: true }),
    );
    expect([replayed.exitCode, existsSync(join(folder, 'logs'))]).toEqual([0, false]);
    expect(notes.join('\n')).toContain(`The folder ${join(folder, 'logs')} was not made`);
  });

  it('is changed in a replay that names it', async () => {
    const { text, replayed } = await recordAndReplay('report', ['--allow-path', join(folder, 'report.md')], () =>
      rmSync(join(folder, 'report.md')),
    );
    expect(text).toMatch(/inside a tool\(\)[\s\S]*--allow-path/);
    expect([replayed.exitCode, existsSync(join(folder, 'report.md'))]).toEqual([0, true]);
    const log = join(folder, 'agent.log');
    await recordAndReplay('append', ['--allow-path', log], () => rmSync(log));
    expect(readFileSync(log, 'utf8')).toContain('forty-two');
  });
});
