import { type Members, numberOf } from '@reenact/instrumentation';
import {
  GEN_AI_OPERATION_NAME_VALUE_CHAT,
  GEN_AI_OPERATION_NAME_VALUE_EMBEDDINGS,
  GEN_AI_OPERATION_NAME_VALUE_TEXT_COMPLETION,
  GEN_AI_PROVIDER_NAME_VALUE_ANTHROPIC,
  GEN_AI_PROVIDER_NAME_VALUE_COHERE,
  GEN_AI_PROVIDER_NAME_VALUE_OPENAI,
} from '@reenact/semconv/gen-ai';
import { anthropicAnswer } from './anthropic-answer.ts';
import { cohereAnswer } from './cohere-answer.ts';
import type { ModelRequest } from './model-request.ts';
import { ollamaAnswer } from './ollama-answer.ts';
import { completionAnswer, embeddingsAnswer, responsesAnswer } from './openai-answer.ts';
import { providerAt } from './provider-at.ts';

/** An API whose requests name the model in their body. */
interface BodyApi {
  readonly path: RegExp;
  readonly operation: string;
  /** Whose API it is, where the host tells nothing else: many serve models by that of OpenAI. */
  readonly provider: string;
  /** Whether a body is one of its requests. An agent's own services have such paths, too. */
  asks(body: Members): boolean;
  read: ModelRequest['read'];
}

/** A request to a model, and whether a body is indeed one of it. */
export interface RequestByBody extends ModelRequest {
  asks(body: Members): boolean;
}

const OLLAMA = 'ollama';

const hasMessages = ({ messages }: Members): boolean => Array.isArray(messages);
const never = (): boolean => false;

const [chat, embeddings] = [GEN_AI_OPERATION_NAME_VALUE_CHAT, GEN_AI_OPERATION_NAME_VALUE_EMBEDDINGS];
const openai = { provider: GEN_AI_PROVIDER_NAME_VALUE_OPENAI };
const cohere = { provider: GEN_AI_PROVIDER_NAME_VALUE_COHERE, read: cohereAnswer };
// Pages and back ends of chats have these paths: only an answer tells that it is Ollama's, or Cohere's through a proxy.
const ollama = { provider: OLLAMA, asks: never, read: ollamaAnswer };

const apis: readonly BodyApi[] = [
  { ...openai, path: /\/chat\/completions$/, operation: chat, asks: hasMessages, read: completionAnswer },
  {
    ...openai,
    path: /\/completions$/,
    operation: GEN_AI_OPERATION_NAME_VALUE_TEXT_COMPLETION,
    asks: ({ prompt }) => prompt !== undefined,
    read: completionAnswer,
  },
  { ...openai, path: /\/responses$/, operation: chat, asks: ({ input }) => input !== undefined, read: responsesAnswer },
  {
    ...openai,
    path: /\/embeddings$/,
    operation: embeddings,
    asks: ({ input }) => input !== undefined,
    read: embeddingsAnswer,
  },
  {
    provider: GEN_AI_PROVIDER_NAME_VALUE_ANTHROPIC,
    path: /\/messages$/,
    operation: chat,
    asks: (body) => hasMessages(body) && numberOf(body.max_tokens) !== undefined,
    read: anthropicAnswer,
  },
  { ...ollama, path: /\/api\/chat$/, operation: chat },
  { ...ollama, path: /\/api\/generate$/, operation: GEN_AI_OPERATION_NAME_VALUE_TEXT_COMPLETION },
  { ...ollama, path: /\/api\/embed$/, operation: embeddings },
  { ...cohere, path: /\/v2\/chat$/, operation: chat, asks: never },
  { ...cohere, path: /\/v[12]\/embed$/, operation: embeddings, asks: never },
];

/** At its own hosts it is Cohere's by the path alone; through a proxy, by what it answers. */
const cohereApis: readonly BodyApi[] = [
  { ...cohere, path: /\/v2\/chat$/, operation: chat, asks: hasMessages },
  { ...cohere, path: /\/v[12]\/embed$/, operation: embeddings, asks: () => true },
];

/** Azure's path for a model that its owner has given a name, which may stand for the one in the body. */
const deployment = /\/openai\/deployments\/([^/]+)\//;

/** The request to a model whose body names it, as its address tells it; undefined for every other. */
export function requestByBody({ hostname, pathname }: URL): RequestByBody | undefined {
  const known = providerAt(hostname);
  const among = known === GEN_AI_PROVIDER_NAME_VALUE_COHERE ? cohereApis : apis;
  const api = among.find(({ path }) => path.test(pathname));
  if (api === undefined) return undefined;
  const { operation, asks, read } = api;
  return {
    operation,
    provider: known ?? api.provider,
    model: deployment.exec(pathname)?.[1],
    isStreamed: undefined,
    asks,
    read,
  };
}
