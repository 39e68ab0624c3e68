import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Stage } from '../scenarios/stage.ts';
import { type EchoProvider, startEchoProvider } from './provider.ts';
import { recordRun, replayAsJson, setSmallStage } from './small-stage.ts';

let provider: EchoProvider;
let stage: Stage;

beforeAll(async () => {
  provider = await startEchoProvider();
  stage = await setSmallStage(provider.environment);
});

afterAll(async () => {
  await stage.stop();
  await provider.stop();
});

describe('an agent that answers with stacks', () => {
  it('has them again to the last frame, whatever it had waited for', async () => {
    const { run, recorded } = await recordRun(stage, 'stacks.ts');
    const { report, result } = await replayAsJson(stage, run.rootSpanId, 'stacks.ts');
    expect(report).toMatchObject({ verdict: 'reproduced', divergences: [] });
    expect(result.stderr).toContain(recorded.stdout.trim());
    // Both sorts are there: what came out of a socket is gone on with from another frame than what came from a timer.
    const stacks = Object.values(JSON.parse(recorded.stdout) as Record<string, string>);
    const isFromSocket = (stack: string): boolean => stack.includes('processTicksAndRejections');
    expect(stacks.some(isFromSocket)).toBe(true);
    expect(stacks.every(isFromSocket)).toBe(false);
  }, 60_000);
});
