import { endOf, RecordedCalls, TapePlayer } from '@reenact/instrumentation/testing';
import type { OpenAI as OpenAIClass } from 'openai';
import type { OpenAIInstrumentation } from '../../index.ts';
import { errorFacts } from '@reenact/instrumentation/testing';

/** What a child process tells about one copy of the openai package. */
export interface ExerciseReport {
  readonly recorded: unknown;
  readonly replayed: unknown;
  readonly isOwnClass: boolean;
  readonly sdk: string | undefined;
  readonly crossings: number;
  /** Crossings after `disable()` and one more call, and after `enable()` and another. */
  readonly afterDisable: number;
  readonly afterEnable: number;
}

async function act(OpenAI: typeof OpenAIClass, baseURL: string): Promise<{ seen: unknown; error: unknown }> {
  const client = new OpenAI({ apiKey: 'k', baseURL, maxRetries: 0, logLevel: 'off' });
  const messages = [{ role: 'user' as const, content: 'hello' }];
  const completion = await client.chat.completions.create({ model: 'gpt-4o', messages });
  const deltas: unknown[] = [];
  for await (const chunk of await client.chat.completions.create({ model: 'gpt-4o', messages, stream: true })) {
    deltas.push(chunk.choices[0]?.delta);
  }
  const stopped: unknown[] = [];
  for await (const chunk of await client.chat.completions.create({ model: 'gpt-4o', messages, stream: true })) {
    stopped.push(chunk.choices[0]?.delta);
    if (stopped.length === 2) break;
  }
  const controller = new AbortController();
  const options = { signal: controller.signal };
  const aborted = await endOf(async () => {
    for await (const _ of await client.chat.completions.create({ model: 'gpt-4o', messages, stream: true }, options)) {
      controller.abort();
    }
  });
  const { error } = await endOf(() => client.chat.completions.create({ model: 'missing', messages }));
  return { seen: { completion, deltas, stopped, aborted: errorFacts(aborted.error), error: JSON.stringify(errorFacts(error)) }, error };
}

/** Records one copy of the package, serves it, and switches its instrumentation off and on. Prints an ExerciseReport. */
export async function exercise(OpenAI: typeof OpenAIClass, baseURL: string): Promise<void> {
  const { openaiInstrumentation } = globalThis as unknown as { openaiInstrumentation: OpenAIInstrumentation };
  const calls = new RecordedCalls();
  calls.attach();
  const recorded = await act(OpenAI, baseURL);
  const crossings = calls.crossings();
  const replayed = await new TapePlayer(crossings).during(() => act(OpenAI, baseURL));
  const count = calls.facts.length;
  openaiInstrumentation.disable();
  await act(OpenAI, baseURL);
  const afterDisable = calls.facts.length - count;
  openaiInstrumentation.enable();
  await act(OpenAI, baseURL);
  const report: ExerciseReport = {
    recorded: recorded.seen,
    replayed: replayed.seen,
    isOwnClass: replayed.error instanceof OpenAI.NotFoundError,
    sdk: crossings[0]?.sdk ?? calls.facts[0]?.boundary.sdk,
    crossings: crossings.length,
    afterDisable,
    afterEnable: calls.facts.length - count - afterDisable,
  };
  process.stdout.write(JSON.stringify(report));
}
