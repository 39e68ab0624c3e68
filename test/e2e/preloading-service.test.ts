import { afterAll, beforeAll, expect, it } from 'vitest';
import { eventually } from '../conformance/testbed.ts';
import { runsOnceThere } from '../scenarios/runs-of.ts';
import type { Stage } from '../scenarios/stage.ts';
import { replayAsJson, setSmallStage } from './small-stage.ts';

const script = 'preloading-service.ts';
let stage: Stage;

beforeAll(async () => {
  stage = await setSmallStage();
});

afterAll(() => stage.stop());

it('asks a service that listened before it had loaded all when it rests, as it did when it was asked', {
  timeout: 120_000,
}, async () => {
  const service = await stage.start(['--import', 'reenact/register', script]);
  const { port } = JSON.parse(service.firstLine) as { port: number };
  const ask = async (path: string): Promise<string> => (await fetch(`http://127.0.0.1:${port}${path}`)).text();
  await eventually('the service to be loaded', async () => (await ask('/ready')) === 'true');
  const answered = JSON.parse(await ask('/ask')) as { at: number };
  await service.stop();
  const [run] = await runsOnceThere(stage, (runs) => {
    const asked = runs.filter(({ name }) => name === 'agent:GET /ask');
    return asked.length === 0 ? undefined : asked;
  });
  expect(answered.at).toBeGreaterThan(0);
  const { report } = await replayAsJson(stage, run?.rootSpanId ?? '', script);
  expect(report).toMatchObject({ verdict: 'reproduced', exitCode: 0, divergences: [], outcome: { equal: true } });
});
