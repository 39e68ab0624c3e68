import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import type { Stage } from '../scenarios/stage.ts';
import { listRuns, recordRun, setSmallStage } from './small-stage.ts';

let stage: Stage;
let rootSpanId: string;
let data: string;
let backup: string;

beforeAll(async () => {
  stage = await setSmallStage();
  rootSpanId = (await recordRun(stage, 'parallel.ts')).run.rootSpanId;
  data = join(stage.folder, 'data');
  backup = join(stage.folder, 'backup');
});

afterAll(() => stage.stop());

// A running collector looks for requests once a second.
vi.setConfig({ testTimeout: 180_000 });

/** Runs `reenact store …` and gives the exit code with what it printed. */
async function store(...parameters: string[]): Promise<readonly [exitCode: number, stdout: string, stderr: string]> {
  const { exitCode, stdout, stderr } = await stage.reenact(['store', ...parameters]);
  return [exitCode, stdout, stderr];
}

describe('reenact store preview', () => {
  it('says what retention would let go of, by the settings of the running collector or by those of a file', async () => {
    const own = await store('preview', '--data', data);
    expect(own).toEqual([
      0,
      expect.stringMatching(/graceDays 7, .*\n.*\nwould go by age: nothing\nNothing was deleted/),
      '',
    ]);
    const file = join(stage.folder, 'short.json');
    writeFileSync(file, '{"retention":{"graceDays":0,"ordinaryDays":0,"specialDays":0}}');
    const [exitCode, stdout] = await store('preview', '--data', data, '--config', file);
    expect(exitCode).toBe(0);
    const [run] = await listRuns(stage);
    expect(stdout).toContain(`default  ${run?.traceId}`);
    const json = JSON.parse((await store('preview', '--data', data, '--config', file, '--json'))[1]) as object;
    expect(json).toMatchObject({ retention: { graceDays: 0 }, byAge: { runs: 1, keptRuns: 0 }, excessBytes: 0 });
    expect((await store('preview', '7', '--data', data))[0]).toBe(2);
  });
});

describe('reenact store beside a collector of another folder', () => {
  it('backs up to where a path leads from the command, wherever the collector was started', () => {
    const from = join(stage.folder, 'from');
    mkdirSync(from);
    const { program, parameters, options } = stage.reenactCommand(['store', 'backup', 'beside', '--data', data]);
    const { status, stderr } = spawnSync(program, parameters, { ...options, cwd: from, encoding: 'utf8' });
    expect([status, stderr, existsSync(join(from, 'beside'))]).toEqual([0, '', true]);
  });
});

describe('reenact store, told of what is not there,', () => {
  it.each(['verify', 'settle'])('makes no store of a folder that has none: %s', async (action) => {
    const folder = join(stage.folder, `${action}-in-vain`);
    mkdirSync(folder);
    const [exitCode, , stderr] = await store(action, '--data', folder);
    expect([exitCode, stderr]).toEqual([2, expect.stringContaining('nothing of a store is in it')]);
    expect(readdirSync(folder)).toEqual([]);
  });

  it('takes no empty text for what is to be done with, as of a variable that is not set', async () => {
    for (const parameters of [
      ['delete', '--user', ''],
      ['backup', ''],
    ]) {
      const [exitCode, , stderr] = await store(...parameters, '--data', data);
      expect([exitCode, stderr]).toEqual([2, expect.stringContaining(`bad-argument \`reenact store ${parameters[0]}`)]);
    }
  });
});

// Each case works with what the one before left.
describe('reenact store', () => {
  it('backs up beside the running collector, once per place', async () => {
    expect(await store('backup', backup, '--data', data)).toEqual([0, 'done\n', '']);
    const [exitCode, , stderr] = await store('backup', backup, '--data', data);
    expect(exitCode).toBe(2);
    expect(stderr).toContain('bad-argument');
  });

  it('verifies the backup, and says that the original is in use', async () => {
    const [exitCode, stdout] = await store('verify', '--data', backup, '--json');
    expect(exitCode).toBe(0);
    const report = JSON.parse(stdout) as { items: number; problems: unknown[]; chainHead: string };
    expect(report).toMatchObject({ problems: [], chainHead: expect.stringMatching(/^[0-9a-f]{64}$/) });
    expect(report.items).toBeGreaterThan(3);
    const [inUse, , stderr] = await store('verify', '--data', data);
    expect(inUse).toBe(2);
    expect(stderr).toContain('Another process uses this data directory');
  });

  it('deletes a run by any of its ids, and only with exactly one thing named', async () => {
    expect((await store('delete', '--data', data))[0]).toBe(2);
    expect((await store('delete', rootSpanId, '--user', 'ada', '--data', data))[0]).toBe(2);
    const [exitCode, stdout] = await store('delete', rootSpanId, '--data', data);
    expect(exitCode).toBe(0);
    expect(stdout).toMatch(/^\d+ items deleted/);
    expect(await listRuns(stage)).toEqual([]);
    const [, nothing] = await store('delete', '--user', 'nobody', '--data', data);
    expect(nothing).toContain('nothing was deleted');
    const [again, , stderr] = await store('keep', rootSpanId, '--data', data);
    expect(again).toBe(2);
    expect(stderr).toContain('not-found');
  });

  it('finds rows of runs that are gone, exits 1, and makes the index again where that is asked for', async () => {
    const index = new DatabaseSync(join(backup, 'index.sqlite'));
    index.exec("INSERT INTO usage VALUES (987654, 'p', 'm', 1, 2, 3, 4, 5)");
    index.close();
    const [exitCode, stdout] = await store('verify', '--data', backup);
    expect([exitCode, stdout]).toEqual([
      1,
      expect.stringMatching(/index: 1 rows of "usage" are of runs that are gone.*Next: .*verify --rebuild-index/s),
    ]);
    expect((await store('verify', '--data', backup, '--rebuild-index'))[0]).toBe(0);
    expect((await store('verify', '--data', backup))[0]).toBe(0);
  });

  it('finds a changed bit in a file and exits 1', async () => {
    const log = join(backup, 'log', readdirSync(join(backup, 'log')).sort()[0] ?? '');
    const bytes = readFileSync(log);
    bytes[300] = (bytes[300] ?? 0) ^ 1;
    writeFileSync(log, bytes);
    const [exitCode, stdout] = await store('verify', '--data', backup);
    expect(exitCode).toBe(1);
    expect(stdout).toMatch(/^✗.*Next: .*verify --rebuild-index --data /s);
    const [still, rebuilt] = await store('verify', '--data', backup, '--rebuild-index');
    expect([still, rebuilt]).toEqual([1, expect.stringMatching(/Next: .*from a backup alone/)]);
  });

  it('drops no queue that is not there', async () => {
    const [exitCode, , stderr] = await store('drop-queue', 'archive', '--data', data);
    expect(exitCode).toBe(2);
    expect(stderr).toContain('Nothing is queued for this destination');
  });

  it('names the actions where another is asked for', async () => {
    const [exitCode, , stderr] = await store('polish', '--data', backup);
    expect(exitCode).toBe(2);
    expect(stderr).toContain('verify, backup, delete, keep, release, drop-queue, settle or preview');
  });
});
