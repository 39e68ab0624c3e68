import type { RunSummary } from '@reenact/trace-model/collector-api';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Peer } from '../conformance/instrumentation/fidelity-library.ts';
import { startAnthropicPeer } from '../conformance/instrumentation/libraries/anthropic-peer.ts';
import type { CommandResult } from '../scenarios/run-command.ts';
import type { Stage } from '../scenarios/stage.ts';
import { recordRun, setSmallStage } from './small-stage.ts';

let provider: Peer;
let stage: Stage;
let run: RunSummary;
let recorded: CommandResult;

beforeAll(async () => {
  provider = await startAnthropicPeer();
  stage = await setSmallStage({ ANTHROPIC_BASE_URL: provider.address });
  ({ run, recorded } = await recordRun(stage, 'claude.ts'));
});

afterAll(async () => {
  await stage.stop();
  await provider.stop();
});

describe('an agent on the Anthropic SDK, started with the register hook', () => {
  it('is recorded, and re-enacted by span id to the same output without a request or a tool', async () => {
    expect(recorded).toMatchObject({ exitCode: 0, stderr: '' });
    expect(JSON.parse(recorded.stdout)).toMatchObject({
      text: 'It costs 190.',
      deltas: ['Sold', ' 📉'],
      content: [{ type: 'thinking', signature: 'c2lnbmF0dXJl' }, { type: 'text' }, { input: { symbol: 'ACME' } }],
      stopReason: 'tool_use',
    });
    expect(run).toMatchObject({ name: 'agent:claude', crossingCount: 5, replayability: { verdict: 'full' } });
    const requests = provider.contacts;
    expect(requests).toBe(3);
    const replayed = await stage.reenact(['replay', run.rootSpanId, '--', 'node', 'claude.ts'], {
      TOOLS_MUST_NOT_RUN: '1',
    });
    expect(replayed.stdout.split('\n')[0]).toBe(recorded.stdout.trim());
    expect(replayed.exitCode).toBe(0);
    expect(provider.contacts).toBe(requests);
  });
});
