import { createOpenAI } from '@ai-sdk/openai';
import { OpenTelemetry } from '@ai-sdk/otel';
import { AiSdkInstrumentation } from '@reenact/instrumentation-ai-sdk';
import * as plain from 'ai';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import type { Peer } from './fidelity-library.ts';
import { startOpenaiPeer } from './libraries/openai-peer.ts';
import { crossingLine, recordThenReplay } from './record-then-replay.ts';

/** An agent with a tool, whose SDK emits GenAI spans of its own. */
async function act(ai: typeof plain, { address }: Peer): Promise<unknown> {
  const model = createOpenAI({ apiKey: 'sk-secret', baseURL: `${address}/v1` }).chat('calls-tools');
  const execute = async ({ symbol }: { symbol: string }): Promise<string> => `${symbol} costs 190`;
  const tools = { price: ai.tool({ inputSchema: z.object({ symbol: z.string() }), execute }) };
  const telemetry = { isEnabled: true, integrations: new OpenTelemetry() };
  const { text } = await new ai.ToolLoopAgent({ id: 'trader', model, tools, telemetry }).generate({ prompt: 'price?' });
  return text;
}

describe('the telemetry of the AI SDK itself', () => {
  it('puts its spans around ours, and nothing is read or served twice', async () => {
    const instrumentation = new AiSdkInstrumentation();
    const ai = instrumentation.patchModule(plain);
    const peer = await startOpenaiPeer();
    const both = await recordThenReplay(peer, () => act(ai, peer));
    instrumentation.disable();
    await peer.stop();
    const { recorded, recording, report, contactsInReplay } = both;
    expect(recorded).toBe('It costs 190.');
    const names = Array.from(recording.spans.values(), ({ name }) => name);
    // Ours and its own: the model calls alone are spans of both.
    expect(names.filter((name) => name === 'chat calls-tools')).toHaveLength(4);
    expect(recording.crossings.map(crossingLine)).toEqual([
      'agent:fidelity returned 0',
      'agent:trader returned 0',
      'model:openai.chat returned 1',
      'tool:price returned 0',
      'model:openai.chat returned 1',
    ]);
    expect(report).toMatchObject({ value: recorded, verdict: 'reproduced', divergences: [] });
    expect(contactsInReplay).toBe(0);
  });
});
