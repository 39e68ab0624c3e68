import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { RunSummary } from '@reenact/trace-model/collector-api';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { runsOnceThere } from '../scenarios/runs-of.ts';
import type { Stage } from '../scenarios/stage.ts';
import { replayAsJson, setSmallStage } from './small-stage.ts';

const script = 'remembering-service.ts';
let stage: Stage;
/** The requests that call anything, in the order in which they came. */
let requests: readonly RunSummary[];

async function ask(port: number, path: string, method = 'GET'): Promise<void> {
  await (await fetch(`http://127.0.0.1:${port}${path}`, { method })).text();
  // Its summary is made behind the answer.
  await new Promise((resolve) => setTimeout(resolve, 100));
}

beforeAll(async () => {
  stage = await setSmallStage();
  const service = await stage.start(['--import', 'reenact/register', script]);
  const { port } = JSON.parse(service.firstLine) as { port: number };
  for (const path of ['/health', '/ann/A', '/bob/A', '/health']) await ask(port, path);
  await ask(port, '/bob', 'DELETE');
  for (const path of ['/bob/B', '/health', '/ann/B']) await ask(port, path);
  await service.stop();
  const found = await runsOnceThere(stage, (runs) => {
    const calling = runs.filter(({ name }) => /GET \/(ann|bob)/.test(name ?? ''));
    return calling.length < 4 ? undefined : calling;
  });
  requests = found.toSorted((left, right) => left.startedAt.localeCompare(right.startedAt));
});

afterAll(() => stage.stop());

function last(): RunSummary {
  const run = requests.at(-1);
  if (run === undefined) throw new TypeError('there are four');
  return run;
}

describe('a request that uses what earlier ones left in memory', () => {
  it('goes another way alone, and its report says how it is replayed after them', async () => {
    const { report } = await replayAsJson(stage, last().rootSpanId, script);
    expect(report.verdict).not.toBe('reproduced');
    expect(report.notes.join('\n')).toMatch(/^4 requests .* were not sent: `--requests-before all`/m);
    const shown = await stage.reenact(['show', last().rootSpanId]);
    expect(shown.stdout).toMatch(/came after 4 requests that may have left something in memory/);
  });

  it('is reproduced after all of them, with no other call made', async () => {
    for (const [index, { rootSpanId }] of requests.entries()) {
      const { report } = await replayAsJson(stage, rootSpanId, script, { flags: ['--requests-before', 'all'] });
      expect(report).toMatchObject({ verdict: 'reproduced', exitCode: 0, divergences: [] });
      // Among them the one that deletes; what asks whether the service is well is none.
      expect(report.runsBeside?.begun ?? 0).toBe([0, 1, 3, 4][index]);
      expect(report.runsBeside?.diverged ?? 0).toBe(0);
    }
  });

  it('is told which of them went another way, where those before them are left out', async () => {
    const { report } = await replayAsJson(stage, last().rootSpanId, script, { flags: ['--requests-before', '2'] });
    expect(report).toMatchObject({ runsBeside: { place: 5, recorded: 2, begun: 2, diverged: 2 } });
    expect(report.exitCode).not.toBe(0);
    expect(report.notes.join('\n')).toMatch(/^2 requests .* were not sent/m);
  });

  it('is kept with them in a file, which replays by itself', async () => {
    const file = join(stage.folder, 'after-others.otlp.jsonl');
    const exported = await stage.reenact(['export', last().rootSpanId, '--requests-before', 'all', '--out', file]);
    expect(exported.stdout).toContain('4 other runs of the process');
    const { report } = await replayAsJson(stage, file, script, {
      environment: { REENACT_COLLECTOR: 'http://127.0.0.1:9' },
    });
    expect(report).toMatchObject({ exitCode: 0, runsBeside: { begun: 4, diverged: 0 } });
    await rm(file);
  });

  it('is not replayed after a number that is none', async () => {
    const flags = ['--requests-before', 'some'];
    const { stderr, exitCode } = await stage.reenact(['replay', last().rootSpanId, ...flags, '--', 'node', script]);
    expect([exitCode, stderr]).toEqual([2, expect.stringContaining('--requests-before 20, or all')]);
  });
});
