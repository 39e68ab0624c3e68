import { setTimeout as sleep } from 'node:timers/promises';
import type { RunSummary } from '@reenact/trace-model/collector-api';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { runsOnceThere } from '../scenarios/runs-of.ts';
import type { Stage } from '../scenarios/stage.ts';
import { replayAsJson, setSmallStage } from './small-stage.ts';

const script = 'beating-service.ts';
/** Hundreds of beats, which would be far too many for one request. */
const upMs = 6_000;
let stage: Stage;

beforeAll(async () => {
  stage = await setSmallStage();
});

afterAll(() => stage.stop());

/** The requests to a service that was up for some time, in the order in which they came. */
async function recorded(name: string, environment: NodeJS.ProcessEnv = {}): Promise<readonly RunSummary[]> {
  const service = await stage.start(['--import', 'reenact/register', script], environment);
  const { port } = JSON.parse(service.firstLine) as { port: number };
  await sleep(upMs);
  for (const path of ['first', 'second']) await (await fetch(`http://127.0.0.1:${port}/${name}/${path}`)).text();
  await service.stop();
  const found = await runsOnceThere(stage, (runs) => {
    const own = runs.filter((run) => run.name?.startsWith(`agent:GET /${name}/`) === true);
    return own.length < 2 ? undefined : own;
  });
  return found.toSorted((left, right) => left.startedAt.localeCompare(right.startedAt));
}

async function replayed(
  { rootSpanId }: RunSummary,
  { flags, environment = {} }: { flags: readonly string[]; environment?: NodeJS.ProcessEnv },
): Promise<void> {
  const { report } = await replayAsJson(stage, rootSpanId, script, { flags, environment });
  expect(report).toMatchObject({ verdict: 'reproduced', exitCode: 0, divergences: [] });
  expect(report.runsBeside?.diverged ?? 0).toBe(0);
}

describe('a service that beats every few milliseconds', () => {
  it('does not catch up with its beats in a request', async () => {
    for (const run of await recorded('quiet')) {
      await replayed(run, { flags: [] });
      await replayed(run, { flags: ['--requests-before', 'all'] });
    }
  });

  it('has beaten as often as its time says where it polls, too', async () => {
    const environment = { EVERY_MS: '700' };
    for (const run of await recorded('polls', environment)) await replayed(run, { flags: [], environment });
  });
});
