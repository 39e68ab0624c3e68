import type { LLMock } from '@copilotkit/aimock';
import { jsonSchema, tool } from 'ai';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { instrumentTools } from './index.ts';
import { allOf, asRecorded, recordThenServeMock, reproduced } from './testdata/mock-suite.ts';
import { ai, setUpSdk } from './testdata/sdk-suite.ts';

let undo: () => void;
beforeAll(() => {
  undo = setUpSdk();
});
afterAll(() => undo());

class BrokerError extends Error {
  override readonly name = 'BrokerError';
}

/** A model that calls the tools with these names at once, and then says it is done. */
function callsTools(...names: string[]): (mock: LLMock) => void {
  return (mock) => {
    const toolCalls = names.map((name, index) => ({ id: `call_${index}`, name, arguments: `{"symbol":"S${index}"}` }));
    mock.on({ userMessage: /trade/, turnIndex: 0 }, { toolCalls });
    mock.on({ userMessage: /trade/, turnIndex: 1 }, { content: 'Done.' });
  };
}

const inputSchema = z.object({ symbol: z.string() });
const stopWhen = ai.stepCountIs(3);

describe('tools', () => {
  it('are crossings with the id of the call, and do not run in a replay', async () => {
    let runs = 0;
    const quote = tool({
      inputSchema,
      execute: ({ symbol }, { toolCallId }) => {
        runs += 1;
        return { symbol, toolCallId, at: new Date(1_700_000_000_000), price: 190n };
      },
    });
    const toModelOutput = ({ output }: { output: { symbol: string } }) => ({
      type: 'text' as const,
      value: output.symbol,
    });
    const ends = await recordThenServeMock(
      callsTools('quote'),
      async ({ openai }) => {
        const tools = { quote: { ...quote, toModelOutput } };
        const { text, steps } = await ai.generateText({
          model: openai.chat('gpt-4o'),
          prompt: 'trade',
          tools,
          stopWhen,
        });
        return { text, results: steps.flatMap(({ toolResults }) => toolResults.map(({ output }) => output)) };
      },
      3,
    );
    expect(ends.recorded.value).toMatchObject({ text: 'Done.', results: [{ toolCallId: 'call_0', price: 190n }] });
    expect(reproduced(ends)).toEqual(asRecorded(ends));
    expect(runs).toBe(1);
    const [, called] = ends.calls.facts;
    expect(called?.boundary).toMatchObject({ kind: 'tool', name: 'quote', effect: 'write' });
    expect(called?.input?.payload.data).toBe('[{"symbol":"S0"}]');
  });
});

describe('tools that run in parallel', () => {
  it('and finish in reverse get their own outputs', async () => {
    const finished: string[] = [];
    const gates = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    const execute = async ({ symbol }: { symbol: string }): Promise<string> => {
      if (symbol === 'S0') await gates[0]?.promise;
      finished.push(symbol);
      gates[0]?.resolve();
      return `price of ${symbol}`;
    };
    const ends = await recordThenServeMock(
      callsTools('first', 'second'),
      async ({ openai }) => {
        const tools = { first: tool({ inputSchema, execute }), second: tool({ inputSchema, execute }) };
        const result = ai.streamText({ model: openai.chat('gpt-4o'), prompt: 'trade', tools, stopWhen });
        await allOf(result.stream);
        const steps = await result.steps;
        return steps.flatMap(({ toolResults }) => toolResults.map(({ toolCallId, output }) => [toolCallId, output]));
      },
      4,
    );
    expect(finished).toEqual(['S1', 'S0']);
    expect(ends.player).toMatchObject({ left: [], changed: [], refusals: [] });
    const sorted = (value: unknown): unknown => (value as unknown[][]).map(String).sort();
    expect(sorted(ends.replayed.value)).toEqual(sorted(ends.recorded.value));
  });
});

describe('tools that yield, and tools that throw', () => {
  it('give their preliminary results, and their errors, again', async () => {
    const tools = {
      fill: tool({
        inputSchema,
        async *execute() {
          yield { status: 'sent' };
          yield { status: 'filled' };
        },
      }),
      cancel: tool({
        inputSchema,
        execute: async (): Promise<string> => {
          throw new BrokerError('order is gone');
        },
      }),
    };
    const ends = await recordThenServeMock(
      callsTools('fill', 'cancel'),
      async ({ openai }) => {
        const result = ai.streamText({ model: openai.chat('gpt-4o'), prompt: 'trade', tools, stopWhen });
        const parts = await allOf(result.stream);
        const told = parts.flatMap((part) => {
          if (part.type === 'tool-result') return [[part.toolName, part.output, part.preliminary]];
          return part.type === 'tool-error' ? [[part.toolName, String(part.error)]] : [];
        });
        return told.map((item) => JSON.stringify(item)).sort();
      },
      4,
    );
    expect(ends.recorded.value).toEqual([
      '["cancel","BrokerError: order is gone"]',
      '["fill",{"status":"filled"},null]',
      '["fill",{"status":"filled"},true]',
      '["fill",{"status":"sent"},true]',
    ]);
    expect(reproduced(ends)).toEqual(asRecorded(ends));
  });
});

describe('instrumentTools', () => {
  it('leaves the toolset, tools without execute and what else a tool says as they are', () => {
    const given = {
      asked: tool({ inputSchema: jsonSchema({ type: 'object' }) }),
      done: tool({ description: 'does', inputSchema, execute: () => 1 }),
    };
    const execute = given.done.execute;
    const wrapped = instrumentTools(given, { toolEffects: { done: 'read' } });
    expect(wrapped.asked).toBe(given.asked);
    expect({ ...wrapped.done, execute: undefined }).toEqual({ ...given.done, execute: undefined });
    expect(given.done.execute).toBe(execute);
    expect(instrumentTools(wrapped).done).toBe(wrapped.done);
  });
});
