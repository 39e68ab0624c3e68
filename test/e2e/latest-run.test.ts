import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Stage } from '../scenarios/stage.ts';
import { listRuns, recordRun, setSmallStage } from './small-stage.ts';

let stage: Stage;
let folder: string;
let older: string;
let newer: string;

beforeAll(async () => {
  stage = await setSmallStage();
  folder = mkdtempSync(join(tmpdir(), 'reenact-latest-'));
  older = (await recordRun(stage, 'parallel.ts')).run.rootSpanId;
  newer = (await recordRun(stage, 'parallel.ts')).run.rootSpanId;
});

afterAll(async () => {
  rmSync(folder, { recursive: true, force: true });
  await stage.stop();
});

describe('the latest run', () => {
  it('is shown, and the ones before it, and which they are is said beside the answer', async () => {
    const { stdout, stderr } = await stage.reenact(['show', 'latest']);
    expect(stdout).toContain(newer);
    expect(stderr).toMatch(new RegExp(`^latest is ${newer}, \\S+ of 20`));
    expect((await stage.reenact(['show', 'latest~1', '--json'])).stdout).toContain(older);
    const outline = await stage.reenact(['show', 'latest', '--outline']);
    expect(outline.stdout).toMatch(new RegExp(`replay it: .*reenact replay ${newer} -- node parallel.ts$`, 'm'));
  });

  it('is replayed, with dashes and without, compared and exported', async () => {
    const replayed = await stage.reenact(['replay', 'latest', '--', 'node', 'parallel.ts']);
    expect(replayed).toMatchObject({ exitCode: 0, stdout: expect.stringContaining('Reproduced') });
    // What that replay recorded is none of the runs that are listed.
    expect(await stage.reenact(['replay', 'latest~0', 'node', 'parallel.ts'])).toMatchObject({ exitCode: 0 });
    expect(await stage.reenact(['replay', 'latest~1', 'latest', '--', 'node', 'parallel.ts'])).toMatchObject({
      exitCode: 0,
      stdout: expect.stringContaining(older),
    });
    expect((await stage.reenact(['diff', 'latest~1', 'latest'])).exitCode).toBe(0);
    const file = join(folder, 'run.otlp.jsonl');
    expect((await stage.reenact(['export', 'latest', '--out', file])).exitCode).toBe(0);
    expect((await stage.reenact(['show', file])).stdout).toContain(newer);
  });

  it('is that of an agent, and not what its program called when that was over, which is listed as such and kept by nobody', async () => {
    const program = await stage.node(['--import', 'reenact/register', 'closing.ts']);
    expect(program.stdout).toContain('answer 16, kept false');
    const [after, run] = await listRuns(stage);
    expect([after?.name, after?.runsBefore, run?.name]).toEqual(['agent:process', 1, 'agent:desk']);
    expect(run?.runsBefore).toBeUndefined();
    const replayed = await stage.reenact(['replay', 'latest', '--', 'node', 'closing.ts']);
    expect(replayed).toMatchObject({ exitCode: 0, stderr: expect.stringContaining(`latest is ${run?.rootSpanId}`) });
    expect((await stage.reenact(['show', 'latest~1'])).stdout).toContain(newer);
    expect((await stage.reenact(['runs'])).stdout).toMatch(/agent:process \(beside other runs\)/);
    expect((await stage.reenact(['show', after?.rootSpanId ?? ''])).stdout).toContain('orders.end');
  });

  it('is none of a sender whose clock is years ahead, and that is said', async () => {
    const startTimeUnixNano = `${BigInt(Date.UTC(2554, 0)) * 1_000_000n}`;
    const span = { traceId: 'c'.repeat(32), spanId: '00000000000000c1', name: 'ahead', startTimeUnixNano };
    const body = JSON.stringify({ resourceSpans: [{ scopeSpans: [{ spans: [{ ...span, kind: 1 }] }] }] });
    const headers = { 'content-type': 'application/json' };
    expect((await fetch(`${stage.collectorUrl}/v1/traces`, { method: 'POST', headers, body })).status).toBe(200);
    const { stdout, stderr } = await stage.reenact(['show', 'latest']);
    expect(stdout).toContain('agent:desk');
    expect(stderr).toContain('begin more than a day from now, as 00000000000000c1 of 2554-01-01');
  });

  it('is said to be missing where there are not as many', async () => {
    expect(await stage.reenact(['show', 'latest~3'])).toMatchObject({
      exitCode: 2,
      stderr: expect.stringContaining('There is no run "latest~3": the collector has 3 runs.'),
    });
    expect(await stage.reenact(['show', 'latest~100'])).toMatchObject({
      exitCode: 2,
      stderr: expect.stringContaining('further back than 99 runs'),
    });
  });
});
