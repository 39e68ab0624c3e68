import { mkdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Stage } from '../scenarios/stage.ts';
import { recordRun, replayAsJson, setSmallStage } from './small-stage.ts';

let stage: Stage;

beforeAll(async () => {
  stage = await setSmallStage();
});

afterAll(() => stage.stop());

const script = 'native-database.ts';

/** Of a database that is no scratch: in the folder for temporary files a replay may open one that it makes. */
function factsIn(name: string, more: NodeJS.ProcessEnv = {}): NodeJS.ProcessEnv & { readonly FACTS_FILE: string } {
  mkdirSync(join(stage.folder, 'temporary'), { recursive: true });
  return { FACTS_FILE: join(stage.folder, `${name}.duckdb`), TMPDIR: join(stage.folder, 'temporary'), ...more };
}

describe('an agent that uses a database of a native add-on which holds its exports fast', () => {
  it.each(['inside', 'cached', 'before', 'beside'])(
    'is marked for it, and its replay opens nothing: %s',
    async (opened) => {
      const environment = factsIn(opened, { OPENED: opened });
      const { run, recorded } = await recordRun(stage, script, environment);
      expect(recorded.stdout).toBe('counted 1\n');
      const mark = `database ${environment.FACTS_FILE} by @duckdb/node-api`;
      const marks = opened === 'before' ? [mark, `before the run: ${mark}`] : [mark];
      const missing = marks.map((detail) => ({ cause: 'unseen-connection', detail }));
      expect(run.replayability).toMatchObject({ verdict: 'partial', missing });
      const before = readFileSync(environment.FACTS_FILE);
      const { result, report } = await replayAsJson(stage, run.rootSpanId, script, { environment });
      expect([result.exitCode, report.verdict]).toEqual([3, 'forbidden']);
      expect(report.divergences[0]).toMatchObject({
        kind: 'forbidden',
        message: expect.stringContaining(environment.FACTS_FILE),
        next: expect.stringContaining('tool()'),
      });
      expect(readFileSync(environment.FACTS_FILE).equals(before)).toBe(true);
    },
  );

  it('is marked for what it keeps among temporary files, and its replay lets that be', async () => {
    const environment = factsIn('temporary/kept');
    const { run } = await recordRun(stage, script, environment);
    const before = readFileSync(environment.FACTS_FILE);
    const { result, report } = await replayAsJson(stage, run.rootSpanId, script, { environment });
    expect([result.exitCode, report.verdict]).toEqual([3, 'forbidden']);
    expect(readFileSync(environment.FACTS_FILE).equals(before)).toBe(true);
    rmSync(environment.FACTS_FILE);
    const scratch = await replayAsJson(stage, run.rootSpanId, script, { environment });
    expect([scratch.result.exitCode, scratch.report.verdict]).toEqual([0, 'reproduced']);
  });

  it.skipIf(process.platform !== 'linux')(
    'is ended where its add-on keeps a file open that nobody foresaw',
    async () => {
      const environment = factsIn('queries', { OPENED: 'logging' });
      const { run } = await recordRun(stage, script, environment);
      rmSync(environment.FACTS_FILE);
      const { result, report } = await replayAsJson(stage, run.rootSpanId, script, { environment });
      expect([result.exitCode, report.verdict]).toEqual([3, 'forbidden']);
      expect(report.divergences[0]).toMatchObject({
        kind: 'forbidden',
        happened: true,
        message: expect.stringContaining(`A native add-on opened ${environment.FACTS_FILE} for writing`),
        next: expect.stringContaining(`--allow-path ${environment.FACTS_FILE}`),
      });
      const flags = ['--allow-path', environment.FACTS_FILE];
      const allowed = await replayAsJson(stage, run.rootSpanId, script, { environment, flags });
      expect([allowed.result.exitCode, allowed.report.verdict]).toEqual([0, 'reproduced']);
    },
  );

  it('is whole where a tool is around it, and where it only reads', async () => {
    const environment = factsIn('wrapped', { WRAPPED: '1' });
    const { run } = await recordRun(stage, script, environment);
    expect(run.replayability).toMatchObject({ verdict: 'full' });
    const before = readFileSync(environment.FACTS_FILE);
    const wrapped = await replayAsJson(stage, run.rootSpanId, script, { environment });
    expect([wrapped.result.exitCode, wrapped.report.verdict, wrapped.report.notes]).toEqual([0, 'reproduced', []]);
    expect(readFileSync(environment.FACTS_FILE).equals(before)).toBe(true);
    const reading = { ...environment, WRAPPED: '', OPENED: 'read-only' };
    const read = await recordRun(stage, script, reading);
    expect(read.run.replayability).toMatchObject({ verdict: 'full' });
    const reread = await replayAsJson(stage, read.run.rootSpanId, script, { environment: reading });
    expect([reread.result.exitCode, reread.report.verdict]).toEqual([0, 'reproduced']);
  });
});

describe('a file that a native add-on keeps open and nobody foresaw', () => {
  it('may keep one open inside of what is asked to run for real', async () => {
    const environment = factsIn('live', { OPENED: 'logging', WRAPPED: '1' });
    const { run } = await recordRun(stage, script, environment);
    rmSync(environment.FACTS_FILE);
    const flags = ['--live', 'tool:count'];
    const { result, report } = await replayAsJson(stage, run.rootSpanId, script, { environment, flags });
    expect([result.exitCode, report.verdict, report.divergences]).toEqual([0, 'reproduced', []]);
    expect(readFileSync(environment.FACTS_FILE, 'utf8')).toContain('INSERT INTO facts');
  });
});
