import { type GateCall, type Members, membersOf } from '@reenact/instrumentation';
import { attemptHeaders, CANONICAL_POLICIES } from '@reenact/trace-model';
import type { ModelRequest, WrapScope } from './internal-types.ts';
import { plainInput } from './plain-input.ts';
import { requestSpan } from './request-view.ts';

/** What every language model of the SDK calls its operation where its provider's name has none. */
const operations: Readonly<Record<string, string>> = {
  doStream: 'chat',
  doEmbed: 'embed',
  doRerank: 'rerank',
};

/** `<provider>.<operation>`: most providers of the AI SDK say both (`openai.responses`). */
function boundaryName({ model, method, options }: ModelRequest): string {
  if (model.provider.includes('.')) return model.provider;
  return `${model.provider}.${operations[method] ?? (Array.isArray(options.prompt) ? 'chat' : 'generate')}`;
}

function headerPairs(headers: unknown): [string, string][] {
  return Object.entries(membersOf(headers)).filter((pair): pair is [string, string] => typeof pair[1] === 'string');
}

/** Which model, whether it streams, and all it was asked, the caller's own headers included; an abort signal says nothing. */
function inputOf({ model, method, options }: ModelRequest): Members {
  const { abortSignal: _signal, headers, prompt, ...asked } = options;
  return {
    model: model.modelId,
    ...(method === 'doStream' ? { stream: true } : {}),
    ...membersOf(plainInput({ prompt, ...asked })),
    headers: attemptHeaders(headerPairs(headers)),
  };
}

/** Describes one call of a model's method to the gate. */
export function gateCallOf(request: ModelRequest, { capture, sdk }: WrapScope): GateCall {
  return {
    boundary: {
      kind: request.method === 'doEmbed' ? 'embedding' : 'model',
      name: boundaryName(request),
      effect: 'read',
      capture,
      policy: CANONICAL_POLICIES.modelOptions,
      ...(sdk === undefined ? {} : { sdk }),
    },
    input: inputOf(request),
    takesInput: true,
    span: requestSpan(request),
  };
}

/** The request with the input that a replay was told to run it with. */
export function editedRequest(request: ModelRequest, input: unknown): ModelRequest {
  const { model: modelId, stream: _stream, headers: edited, ...asked } = membersOf(input);
  const { abortSignal } = request.options;
  const given = headerPairs(request.options.headers);
  const kept = given.filter(([name, value]) => !(name.toLowerCase() in attemptHeaders([[name, value]])));
  const headers = { ...Object.fromEntries(kept), ...membersOf(edited) };
  const { model } = request;
  return {
    ...request,
    // Providers read the id from the object they are called on.
    model: modelId === model.modelId ? model : (Object.create(model, { modelId: { value: modelId } }) as typeof model),
    options: { ...asked, ...(abortSignal === undefined ? {} : { abortSignal }), headers },
  };
}
