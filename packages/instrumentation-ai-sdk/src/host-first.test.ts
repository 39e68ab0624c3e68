import { createOpenAI } from '@ai-sdk/openai';
import { context, DiagLogLevel, diag } from '@opentelemetry/api';
import { gate, type Members } from '@reenact/instrumentation';
import { chunkEvent, completionJson, ScriptedProvider } from '@reenact/instrumentation/testing';
import * as plain from 'ai';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { z } from 'zod';
import type { WrapScope } from './internal-types.ts';
import { LocalModel } from './testdata/local-model.ts';
import { allOf } from './testdata/mock-suite.ts';
import { ai, setUpSdk } from './testdata/sdk-suite.ts';
import { wrappedExports } from './wrapped-exports.ts';

const fail = (): never => {
  throw new TypeError('ours');
};

const quiet = (): void => undefined;

let undo: () => void;
let server: ScriptedProvider;
beforeEach(async () => {
  undo = setUpSdk();
  diag.setLogger({ error: fail, warn: quiet, info: quiet, debug: quiet, verbose: quiet }, DiagLogLevel.ERROR);
  server = await ScriptedProvider.start((response, { body }) => {
    const isStream = body.includes('"stream":true');
    response.setHeader('content-type', isStream ? 'text/event-stream' : 'application/json');
    response.end(isStream ? chunkEvent('Sold.', 'stop') : completionJson('Sold.'));
  });
});
afterEach(async () => {
  diag.disable();
  await server.stop();
  gate.configure({ recorder: undefined, tracerProvider: undefined });
  undo();
});

/** One call of everything, generated and streamed, over fetch and without. */
async function everything(sdk: typeof plain): Promise<unknown> {
  const tools = { quote: sdk.tool({ inputSchema: z.object({}), execute: () => 190 }) };
  const model = createOpenAI({ apiKey: 'k', baseURL: server.baseURL }).chat('gpt-4o');
  const local = new LocalModel({});
  const agent = new sdk.ToolLoopAgent({ model: local, tools });
  return {
    generated: (await sdk.generateText({ model, prompt: 'Sell.', tools })).text,
    streamed: await allOf(sdk.streamText({ model, prompt: 'Sell.' }).textStream),
    local: (await sdk.generateText({ model: local, prompt: 'Sell.' })).text,
    localStream: await allOf(sdk.streamText({ model: local, prompt: 'Sell.' }).textStream),
    agent: (await agent.generate({ prompt: 'Sell.' })).text,
    agentStream: await (await agent.stream({ prompt: 'Sell.' })).text,
    tool: await tools.quote.execute?.({}, { toolCallId: '1', messages: [], context: {} } as never),
  };
}

const expected = {
  generated: 'Sold.',
  streamed: ['Sold.'],
  local: 'Sold.',
  localStream: ['So', 'ld.'],
  agent: 'Sold.',
  agentStream: 'Sold.',
  tool: 190,
};

describe('the host sees nothing of it', () => {
  it('when the recorder and the tracer fail', async () => {
    gate.configure({ recorder: { record: fail }, tracerProvider: { getTracer: fail } });
    expect(await everything(ai)).toEqual(expected);
  });

  it('when the context manager fails to tell the active context', async () => {
    gate.configure({ recorder: { record: fail } });
    context.disable();
    context.setGlobalContextManager({
      active: fail,
      with: fail,
      bind: fail,
      enable: fail,
      disable: () => fail as never,
    });
    expect(await everything(ai)).toEqual(expected);
  });

  it('when the gate fails', async () => {
    const scope: WrapScope = { admit: fail, capture: 'full', toolEffects: {}, sdk: undefined, isActive: () => true };
    const broken = { ...plain, ...Object.fromEntries(wrappedExports(plain as unknown as Members, scope)) };
    expect(await everything(broken)).toEqual(expected);
  });
});
