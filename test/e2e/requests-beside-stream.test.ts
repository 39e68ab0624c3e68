import { setTimeout as sleep } from 'node:timers/promises';
import type { RunSummary } from '@reenact/trace-model/collector-api';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { runsOnceThere } from '../scenarios/runs-of.ts';
import type { Stage } from '../scenarios/stage.ts';
import { replayAsJson, setSmallStage } from './small-stage.ts';

const script = 'watched-service.ts';
let stage: Stage;
/** Those that came while one watched, and the one behind. */
let requests: readonly RunSummary[];

beforeAll(async () => {
  stage = await setSmallStage();
  const service = await stage.start(['--import', 'reenact/register', script]);
  const { port } = JSON.parse(service.firstLine) as { port: number };
  const ask = async (signal?: AbortSignal): Promise<Response> =>
    fetch(`http://127.0.0.1:${port}/${signal === undefined ? 'ask' : 'watch'}`, { signal: signal ?? null });
  const watching = new AbortController();
  const stream = await ask(watching.signal);
  await stream.body?.getReader().read();
  for (let turn = 0; turn < 3; turn += 1) {
    await sleep(60);
    await (await ask()).text();
  }
  watching.abort();
  await sleep(100);
  await (await ask()).text();
  await service.stop();
  const found = await runsOnceThere(stage, (runs) => (runs.length < 5 ? undefined : runs));
  requests = found
    .filter(({ name }) => name?.includes('/ask'))
    .toSorted((left, right) => left.startedAt.localeCompare(right.startedAt));
});

afterAll(() => stage.stop());

it('replays a request while the caller of another still watches, who leaves where it was recorded to', async () => {
  expect(requests).toHaveLength(4);
  for (const { rootSpanId } of requests) {
    const { report } = await replayAsJson(stage, rootSpanId, script, { flags: ['--requests-before', 'all'] });
    expect(report).toMatchObject({ verdict: 'reproduced', exitCode: 0, divergences: [], runsBeside: { diverged: 0 } });
  }
});
