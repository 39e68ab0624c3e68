import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Stage } from '../scenarios/stage.ts';
import { type EchoProvider, startEchoProvider } from './provider.ts';
import { listRuns, setSmallStage } from './small-stage.ts';

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

describe('calls of a model with a span of the app around them, and no agent', () => {
  it('are told to have nothing that could run again, and the program is not started', async () => {
    const recorded = await stage.node(['calls-in-app-span.ts']);
    expect([recorded.exitCode, recorded.stderr]).toEqual([0, '']);
    const [run] = await listRuns(stage);
    const several = await stage.reenact(['replay', run?.rootSpanId ?? '', '--', 'node', 'calls-in-app-span.ts']);
    const [, first = ''] = /holds 2 runs[\s\S]*?([0-9a-f]{16}) \(model:openai\.chat\)/.exec(several.stderr) ?? [];
    expect([several.exitCode, first]).toEqual([2, expect.stringMatching(/./)]);
    const command = ['--', 'node', '-e', 'console.log("started")'];
    const { exitCode, stdout, stderr } = await stage.reenact(['replay', first, ...command]);
    expect([exitCode, stdout]).toEqual([2, '']);
    expect(stderr).toMatch(/one call of a client[\s\S]*2 such runs[\s\S]*agent\("name", fn\)/);
  });
});
