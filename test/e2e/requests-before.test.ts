import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { ReplayReport } from '@reenact/trace-model';
import type { RunSummary } from '@reenact/trace-model/collector-api';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { runsOnceThere } from '../scenarios/runs-of.ts';
import type { Stage } from '../scenarios/stage.ts';
import { replayAsJson, setSmallStage } from './small-stage.ts';

const script = 'remembering-service.ts';
let stage: Stage;
/** Those that came one after the other, and then side by side, of those that call anything; in the order in which they came. */
let requests: readonly RunSummary[];
let together: readonly RunSummary[];

async function ask(port: number, path: string, method = 'GET'): Promise<void> {
  await (await fetch(`http://127.0.0.1:${port}${path}`, { method })).text();
}

/** Waits for the summary that is made behind the answer. */
async function askAlone(port: number, path: string, method?: string): Promise<void> {
  await ask(port, path, method);
  await sleep(100);
}

beforeAll(async () => {
  stage = await setSmallStage();
  const service = await stage.start(['--import', 'reenact/register', script]);
  const { port } = JSON.parse(service.firstLine) as { port: number };
  for (const path of ['/health', '/ann/A', '/bob/A', '/health']) await askAlone(port, path);
  await askAlone(port, '/bob', 'DELETE');
  for (const path of ['/bob/B', '/health', '/ann/B']) await askAlone(port, path);
  const later = async (path: string, ms: number): Promise<void> => {
    await sleep(ms);
    await ask(port, path);
  };
  // The last two share a call that is made while the third goes on, and of which the very last calls nothing before the third has ended.
  await Promise.all([
    later('/cid/A/EUR', 0),
    later('/dan/C/USD', 6),
    later('/fay/C/CHF', 25),
    later('/eve/C/JPY', 45),
    later('/gus/C/SEK', 47),
  ]);
  await service.stop();
  const found = await runsOnceThere(stage, (runs) => {
    const calling = runs.filter(({ name }) => /GET \/(ann|bob|cid|dan|eve|fay|gus)/.test(name ?? ''));
    return calling.length < 9 ? undefined : calling;
  });
  const inOrder = found.toSorted((left, right) => left.startedAt.localeCompare(right.startedAt));
  requests = inOrder.slice(0, 4);
  together = inOrder.slice(4);
});

afterAll(() => stage.stop());

function last(): RunSummary {
  const run = requests.at(-1);
  if (run === undefined) throw new TypeError('there are four');
  return run;
}

async function replayedAfterAll(run: RunSummary | undefined): Promise<ReplayReport> {
  if (run === undefined) throw new TypeError('there are nine requests');
  const { report } = await replayAsJson(stage, run.rootSpanId, script, { flags: ['--requests-before', 'all'] });
  expect(report).toMatchObject({ verdict: 'reproduced', exitCode: 0, divergences: [] });
  return report;
}

describe('a request that uses what earlier ones left in memory', () => {
  it('goes another way alone, and its report says how it is replayed after them', async () => {
    const { report } = await replayAsJson(stage, last().rootSpanId, script);
    expect(report.verdict).not.toBe('reproduced');
    expect(report.notes.join('\n')).toMatch(/^4 requests .* were not sent: `--requests-before all`/m);
    const shown = await stage.reenact(['show', last().rootSpanId]);
    expect(shown.stdout).toMatch(/came after 4 requests that may have left something in memory/);
  });

  // Among them the one that deletes; what asks whether the service is well is none.
  it.each([
    [1, 0],
    [2, 1],
    [3, 3],
    [4, 4],
  ])('is reproduced after all of them, with no other call made: request %i', async (number, begun) => {
    const report = await replayedAfterAll(requests[number - 1]);
    expect(report.runsBeside?.begun ?? 0).toBe(begun);
    expect(report.runsBeside?.diverged ?? 0).toBe(0);
  });

  it('is told which of them went another way, where those before them are left out', async () => {
    const { report } = await replayAsJson(stage, last().rootSpanId, script, { flags: ['--requests-before', '2'] });
    expect(report).toMatchObject({ runsBeside: { place: 5, recorded: 2, begun: 2, diverged: 2 } });
    expect(report.exitCode).not.toBe(0);
    expect(report.notes.join('\n')).toMatch(/^2 requests .* were not sent/m);
  });

  it.each([1, 2, 3, 4, 5])(
    'is reproduced among those side by side, which share a call with it: request %i',
    async (number) => {
      const { runsBeside } = await replayedAfterAll(together[number - 1]);
      expect(runsBeside).toMatchObject({ diverged: 0, refused: 0 });
    },
  );

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
