import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Stage } from '../scenarios/stage.ts';
import { listRuns, replayAsJson, setSmallStage } from './small-stage.ts';

let stage: Stage;

beforeAll(async () => {
  stage = await setSmallStage();
});

afterAll(async () => {
  await stage.stop();
});

describe('a request that a framework hands on in a context which it reads off the headers', () => {
  it('has what its code draws recorded, and replays with it', async () => {
    const service = await stage.start(['--import', 'reenact/register', 'handed-on.ts']);
    const { port } = JSON.parse(service.firstLine) as { port: number };
    const answer = (await (await fetch(`http://127.0.0.1:${port}/`)).json()) as { id: string; found: string };
    expect(answer.found).toBe(`seen ${answer.id}`);
    await service.stop();
    const [run] = await listRuns(stage);
    expect(run).toMatchObject({ name: 'agent:GET /', crossingCount: 2, replayability: { verdict: 'full' } });

    const { report, result } = await replayAsJson(stage, run?.rootSpanId ?? '', 'handed-on.ts');
    expect(report).toMatchObject({ verdict: 'reproduced', divergences: [] });
    expect(result.exitCode).toBe(0);
  });
});
