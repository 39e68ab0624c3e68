import {
  ATTR_GEN_AI_OPERATION_NAME,
  ATTR_OPENAI_API_TYPE,
  GEN_AI_OPERATION_NAME_VALUE_CHAT,
  OPENAI_API_TYPE_VALUE_RESPONSES,
} from '@reenact/semconv/gen-ai';
import { type Crossing, isTree, payloadTree, type ReconstructedOutput, ReenactError } from '@reenact/trace-model';
import { reconstructedOutputSchema } from '@reenact/trace-model/reading';
import type { PlainRequest, ServedAnswer, ServedBoundary, ServeProtocol } from '../serve-protocol.ts';
import { isUnsent } from '../unsent-call.ts';
import { chatCompletion } from './chat-completion.ts';
import { chatCompletionChunks } from './chat-completion-chunks.ts';
import { openAiProblem } from './openai-problem.ts';

const chat: ServedBoundary = { kind: 'model', name: 'openai.chat' };
const responses: ServedBoundary = { kind: 'model', name: 'openai.responses' };
const embeddings: ServedBoundary = { kind: 'embedding', name: 'openai.embeddings' };

/** By the end of the path, so that any base URL will do, Azure's deployments included. */
const boundaries: readonly (readonly [suffix: RegExp, boundary: ServedBoundary])[] = [
  [/(?:^|\/)chat\/completions\/?$/, chat],
  [/(?:^|\/)responses\/?$/, responses],
  [/(?:^|\/)embeddings\/?$/, embeddings],
];

/** Providers whose own protocol is another one; everybody else that is recorded as chat speaks OpenAI's. */
const otherProtocols = /^(anthropic|aws\.|cohere|gcp\.|ibm\.)/;

function boundaryOfPath(path: string): ServedBoundary | undefined {
  return boundaries.find(([suffix]) => suffix.test(path))?.[1];
}

function foreignBoundary({ kind, name, attributes }: Crossing): ServedBoundary | undefined {
  if (otherProtocols.test(name)) return undefined;
  if (kind === 'embedding') return embeddings;
  if (attributes.get(ATTR_GEN_AI_OPERATION_NAME) !== GEN_AI_OPERATION_NAME_VALUE_CHAT) return undefined;
  return attributes.get(ATTR_OPENAI_API_TYPE) === OPENAI_API_TYPE_VALUE_RESPONSES ? responses : chat;
}

function servedAt(crossing: Crossing): ServedBoundary | undefined {
  const { kind, name, call, exchanges, dialect } = crossing;
  if ((kind !== 'model' && kind !== 'embedding') || isUnsent(crossing)) return undefined;
  const [exchange] = exchanges;
  if (exchange !== undefined && URL.canParse(exchange.request.url)) {
    return boundaryOfPath(new URL(exchange.request.url).pathname);
  }
  if (dialect !== 'reenact') return foreignBoundary(crossing);
  // A model boundary that wraps a function holds a value, not an answer of a provider.
  if (call !== 'exchange') return undefined;
  return [chat, responses, embeddings].find((boundary) => boundary.name === name);
}

function modelsOf(crossings: readonly Crossing[]): string[] {
  const models = crossings.map(({ input }) => {
    const tree = input === undefined ? undefined : payloadTree(input);
    return isTree(tree) && typeof tree.model === 'string' ? [tree.model] : [];
  });
  return [...new Set(models.flat())].sort();
}

function modelEntry(id: string): Record<string, unknown> {
  return { id, object: 'model', created: 0, owned_by: 'recording' };
}

function json(value: unknown): ServedAnswer {
  return { status: 200, headers: [['content-type', 'application/json']], chunks: [JSON.stringify(value)] };
}

/** The models that the recorded requests named: the list, or one of it. */
function plainAnswer({ method, path }: PlainRequest, crossings: readonly Crossing[]): ServedAnswer | undefined {
  const [, wanted] = /(?:^|\/)models(?:\/([^/]+))?\/?$/.exec(path) ?? [undefined, undefined];
  if (method !== 'GET' || !/(?:^|\/)models(?:\/[^/]+)?\/?$/.test(path)) return undefined;
  const models = modelsOf(crossings);
  if (wanted === undefined) return json({ object: 'list', data: models.map(modelEntry) });
  const model = models.find((name) => name === decodedSegment(wanted));
  if (model !== undefined) return json(modelEntry(model));
  const message = `The recording names no model "${wanted}".`;
  return openAiProblem({ status: 404, code: 'model_not_found', message });
}

function decodedSegment(segment: string): string {
  try {
    return decodeURIComponent(segment);
  } catch {
    return segment;
  }
}

function outputOf(crossing: Crossing): ReconstructedOutput {
  const { outcome, path } = crossing;
  const value = outcome.type === 'returned' ? outcome.value : undefined;
  const parsed = reconstructedOutputSchema.safeParse(value === undefined ? undefined : payloadTree(value));
  if (parsed.success) return parsed.data;
  throw new ReenactError('recording-damaged', `The answer of ${path} cannot be rebuilt.`, {
    where: path,
    next: 'Get the recording again with `reenact export <id> --out <file>`.',
  });
}

function rebuild(crossing: Crossing, request: unknown): ServedAnswer {
  const output = outputOf(crossing);
  const { stream, stream_options: options } = isTree(request) ? request : {};
  if (stream !== true) return json(chatCompletion(output, crossing));
  const includeUsage = isTree(options) && options.include_usage === true;
  return {
    status: 200,
    headers: [['content-type', 'text/event-stream; charset=utf-8']],
    chunks: chatCompletionChunks(output, crossing, includeUsage),
  };
}

/** OpenAI's HTTP API, as far as agents use it: chat completions, responses, embeddings, the list of models. */
export const openAiProtocol: ServeProtocol = {
  name: 'openai',
  environment: (url) => ({ OPENAI_BASE_URL: `${url}/v1`, OPENAI_API_KEY: 'reenact-serve' }),
  boundaryOf: ({ method, path }) => (method === 'POST' ? boundaryOfPath(path) : undefined),
  plainAnswer,
  servedAt,
  rebuilds: (boundaryName) => boundaryName === chat.name,
  rebuild,
  problem: openAiProblem,
};
