import { OpenAIInstrumentation as OpenInference } from '@arizeai/openinference-instrumentation-openai';
import { OpenAIInstrumentation } from '@reenact/instrumentation-openai';
import { OpenAIInstrumentation as Traceloop } from '@traceloop/instrumentation-openai';
import OpenAI from 'openai';
import { type SpanHost, startRecorderHost, startSpanHost } from './recorder-host.ts';
import { proseOf } from './redaction-payloads.ts';

/** Whose instrumentation looks at the calls. */
export const MODEL_CLIENTS = ['Reenact', 'OpenInference', 'Traceloop'] as const;

/** One of them. */
export type ModelClientName = (typeof MODEL_CLIENTS)[number];

/** What a process with one of them tells. Microseconds of processor time a call, round by round; exports are counted in. */
export interface ClientRounds {
  /** Of calls of a client that nobody looks at, each round before the one of the same number below. */
  readonly bareUs: readonly number[];
  readonly instrumentedUs: readonly number[];
  /** How many spans went out in all. */
  readonly exported: number;
  /** Bytes of the heap that a call leaves until a full garbage collection, one that nobody looks at. */
  readonly bareLeftBytes: number;
  readonly instrumentedLeftBytes: number;
}

const request = {
  model: 'gpt-5',
  messages: [
    { role: 'system', content: proseOf(1_500) },
    { role: 'user', content: proseOf(1_500) },
  ],
} satisfies OpenAI.ChatCompletionCreateParamsNonStreaming;

/** One chat completion with 3 KB in and 2 KB out; throws where the answer is not the server's. */
export async function askModel(openai: OpenAI): Promise<void> {
  const { choices } = await openai.chat.completions.create(request);
  if ((choices[0]?.message.content?.length ?? 0) < 2_000) throw new TypeError('another answer');
}

/** The request of a streamed one. */
export const streamedRequest = { ...request, stream: true } satisfies OpenAI.ChatCompletionCreateParamsStreaming;

/** Makes a client at `origin`; `Client` may be another copy of the class. */
export function clientAt(origin: string, Client: typeof OpenAI = OpenAI): OpenAI {
  return new Client({ apiKey: 'bench', baseURL: `${origin}/v1`, maxRetries: 0 });
}

/** What an instrumented process has set up. */
export type ModelHost = Pick<SpanHost, 'flush' | 'exportedCount' | 'stop'>;

/** Patches the package as that instrumentation does, in a process that is its alone. */
export function instrumentModelClients(name: ModelClientName, sinkUrl: string): ModelHost {
  if (name === 'Reenact') {
    const host = startRecorderHost(sinkUrl);
    new OpenAIInstrumentation().patchModule({ OpenAI });
    return host;
  }
  const host = startSpanHost(sinkUrl, true);
  if (name === 'OpenInference') new OpenInference({ tracerProvider: host.provider }).manuallyInstrument(OpenAI);
  if (name === 'Traceloop') new Traceloop({ traceContent: true }).manuallyInstrument(OpenAI);
  return host;
}
