import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { eventually } from '../conformance/testbed.ts';
import type { Stage } from '../scenarios/stage.ts';
import { listRuns, replayAsJson, setSmallStage } from './small-stage.ts';

let stage: Stage;
let rootSpanId = '';

beforeAll(async () => {
  stage = await setSmallStage({});
  const service = await stage.start(['--import', 'reenact/register', 'stalling-service.ts']);
  const { port } = JSON.parse(service.firstLine) as { port: number };
  const answer = await fetch(`http://127.0.0.1:${port}/quote`);
  expect(await answer.json()).toEqual({ symbol: 'ACME', price: 190 });
  const run = await eventually('the run', async () =>
    (await listRuns(stage)).find(({ name }) => name === 'agent:GET /quote'),
  );
  await service.stop();
  rootSpanId = run.rootSpanId;
});
afterAll(() => stage.stop());

describe('a service without handlers of signals, stopped as soon as it has answered', () => {
  it('has told its outcome before', async () => {
    const { report } = await replayAsJson(stage, rootSpanId, 'stalling-service.ts');
    expect(report).toMatchObject({ verdict: 'reproduced', exitCode: 0, divergences: [], agentExit: 'signal SIGTERM' });
  });
});
