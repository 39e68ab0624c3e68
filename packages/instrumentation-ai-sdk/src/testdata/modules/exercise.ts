import type { createOpenAI } from '@ai-sdk/openai';
import { endOf, RecordedCalls, TapePlayer } from '@reenact/instrumentation/testing';
import type * as sdk from 'ai';
import type { AiSdkInstrumentation } from '../../index.ts';
import { errorFacts } from '@reenact/instrumentation/testing';

/** What a child process tells about one way to load the package. */
export interface ExerciseReport {
  readonly recorded: unknown;
  readonly replayed: unknown;
  readonly sdk: string | undefined;
  /** Names of the crossings, in the order in which they settled. */
  readonly crossings: readonly string[];
  /** Crossings after `disable()` and one more call, and after `enable()` and another. */
  readonly afterDisable: number;
  readonly afterEnable: number;
}

type Sdk = typeof sdk;

async function act(ai: Sdk, makeProvider: typeof createOpenAI, baseURL: string): Promise<unknown> {
  const openai = makeProvider({ baseURL });
  const { text } = await ai.generateText({ model: openai.chat('gpt-4o'), prompt: 'hello' });
  const deltas: string[] = [];
  for await (const delta of ai.streamText({ model: openai.responses('gpt-4o'), prompt: 'hello' }).textStream) {
    deltas.push(delta);
  }
  const agent = new ai.ToolLoopAgent({ id: 'greeter', model: openai.chat('gpt-4o') });
  const answer = await agent.generate({ prompt: 'hello' });
  const { error } = await endOf(() => ai.generateText({ model: openai.chat('missing'), prompt: 'hello', maxRetries: 0 }));
  return { text, deltas, answer: answer.text, error: JSON.stringify(errorFacts(error)), isOwn: ai.APICallError.isInstance(error) };
}

/** Records one copy of the package, serves it without a key, and switches its instrumentation off and on. Prints an ExerciseReport. */
export async function exercise(ai: Sdk, makeProvider: typeof createOpenAI, baseURL: string): Promise<void> {
  const { aiSdkInstrumentation } = globalThis as unknown as { aiSdkInstrumentation: AiSdkInstrumentation };
  const calls = new RecordedCalls();
  calls.attach();
  process.env.OPENAI_API_KEY = 'sk-secret-key';
  const recorded = await act(ai, makeProvider, baseURL);
  const crossings = calls.crossings();
  delete process.env.OPENAI_API_KEY;
  const replayed = await new TapePlayer(crossings).during(() => act(ai, makeProvider, baseURL));
  process.env.OPENAI_API_KEY = 'sk-secret-key';
  const count = calls.facts.length;
  aiSdkInstrumentation.disable();
  await act(ai, makeProvider, baseURL);
  const afterDisable = calls.facts.length - count;
  aiSdkInstrumentation.enable();
  await act(ai, makeProvider, baseURL);
  const report: ExerciseReport = {
    recorded,
    replayed,
    sdk: calls.facts[0]?.boundary.sdk,
    crossings: crossings.map(({ path }) => path),
    afterDisable,
    afterEnable: calls.facts.length - count - afterDisable,
  };
  process.stdout.write(JSON.stringify(report));
}
