import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { runsOnceThere } from '../scenarios/runs-of.ts';
import { type Stage, setStage } from '../scenarios/stage.ts';
import { replayAsJson } from './small-stage.ts';

const agentFolder = new URL('../scenarios/set-up/agent', import.meta.url).pathname;
const script = 'warms-up.ts';
let stage: Stage;

beforeAll(async () => {
  stage = await setStage({ agentFolder, environment: () => ({}) });
});

afterAll(() => stage.stop());

describe('requests to a service that has runs of its own', () => {
  it('are replayed by its command, which makes those again', async () => {
    const service = await stage.start(['--import', 'reenact/register', script]);
    const { port } = JSON.parse(service.firstLine) as { port: number };
    for (const path of ['/first', '/second']) await (await fetch(`http://127.0.0.1:${port}${path}`)).text();
    await service.stop();
    const requests = await runsOnceThere(stage, (runs) => {
      const found = runs.filter(({ name }) => name?.startsWith('agent:GET /'));
      return found.length < 2 ? undefined : found;
    });
    for (const { rootSpanId, replayability } of requests) {
      expect(replayability.verdict).toBe('full');
      const { report } = await replayAsJson(stage, rootSpanId, script);
      expect(report).toMatchObject({ verdict: 'reproduced', exitCode: 0, divergences: [] });
      expect(report.runsBeside).toMatchObject({ diverged: 0, refused: 0 });
      expect(report.runsBeside?.begun).toBeGreaterThan(0);
    }
  });
});
