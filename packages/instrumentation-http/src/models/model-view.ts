// Whole, because Node.js before 22.15 has no zstd: a name that is not there would end an app that imports this, recorded or not.
import zlib from 'node:zlib';
import {
  guarded,
  membersOf,
  RESPONSE_VIEW_CHARACTERS_MAX,
  type SparseAttributes,
  stringOf,
} from '@reenact/instrumentation';
import {
  ATTR_GEN_AI_OPERATION_NAME,
  ATTR_GEN_AI_PROVIDER_NAME,
  ATTR_GEN_AI_REQUEST_MODEL,
  ATTR_GEN_AI_REQUEST_STREAM,
  ATTR_GEN_AI_RESPONSE_FINISH_REASONS,
  ATTR_GEN_AI_RESPONSE_ID,
  ATTR_GEN_AI_RESPONSE_MODEL,
  ATTR_GEN_AI_USAGE_CACHE_CREATION_INPUT_TOKENS,
  ATTR_GEN_AI_USAGE_CACHE_READ_INPUT_TOKENS,
  ATTR_GEN_AI_USAGE_INPUT_TOKENS,
  ATTR_GEN_AI_USAGE_OUTPUT_TOKENS,
  ATTR_GEN_AI_USAGE_REASONING_OUTPUT_TOKENS,
} from '@reenact/semconv/gen-ai';
import { chunkBytes, type Exchange, type ExchangeResponse, finishReason } from '@reenact/trace-model';
import type { MessageBody } from '../message-body.ts';
import { type AnswerBody, jsonOf, type ModelAnswer } from './model-answer.ts';
import type { ModelRequest } from './model-request.ts';
import { type RequestByBody, requestByBody } from './request-by-body.ts';
import { requestByPath } from './request-by-path.ts';

const unpackers: Readonly<Record<string, (bytes: Buffer, options: { maxOutputLength: number }) => Buffer>> = {
  gzip: zlib.unzipSync,
  deflate: zlib.inflateSync,
  br: zlib.brotliDecompressSync,
  zstd: zlib.zstdDecompressSync,
};

function answerBody({ layer }: Exchange, { headers, chunks }: ExchangeResponse): AnswerBody | undefined {
  const header = (name: string): string | undefined => headers.find(([key]) => key.toLowerCase() === name)?.[1];
  const sent = Buffer.concat(chunks.map(chunkBytes));
  if (sent.length === 0 || sent.length > RESPONSE_VIEW_CHARACTERS_MAX) return undefined;
  // What `fetch` gives has been unpacked already.
  const unpack = layer === 'http' ? unpackers[header('content-encoding') ?? ''] : undefined;
  const bytes = unpack === undefined ? sent : unpack(sent, { maxOutputLength: RESPONSE_VIEW_CHARACTERS_MAX });
  return { bytes, contentType: header('content-type') ?? '', header };
}

function identity({ operation, provider }: ModelRequest): SparseAttributes {
  return { [ATTR_GEN_AI_OPERATION_NAME]: operation, [ATTR_GEN_AI_PROVIDER_NAME]: provider };
}

function answerAttributes(answer: ModelAnswer): SparseAttributes {
  const reasons = answer.finishReasons ?? [];
  return {
    [ATTR_GEN_AI_RESPONSE_MODEL]: answer.model,
    [ATTR_GEN_AI_RESPONSE_ID]: answer.id,
    [ATTR_GEN_AI_RESPONSE_FINISH_REASONS]: reasons.length === 0 ? undefined : reasons.map(finishReason),
    [ATTR_GEN_AI_USAGE_INPUT_TOKENS]: answer.inputTokens,
    [ATTR_GEN_AI_USAGE_CACHE_READ_INPUT_TOKENS]: answer.cacheReadTokens,
    [ATTR_GEN_AI_USAGE_CACHE_CREATION_INPUT_TOKENS]: answer.cacheWriteTokens,
    [ATTR_GEN_AI_USAGE_OUTPUT_TOKENS]: answer.outputTokens,
    [ATTR_GEN_AI_USAGE_REASONING_OUTPUT_TOKENS]: answer.reasoningTokens,
  };
}

function askedInBody(request: RequestByBody, text: string): SparseAttributes {
  if (text.length > RESPONSE_VIEW_CHARACTERS_MAX) return {};
  const body = membersOf(jsonOf(text));
  const model = stringOf(body.model) ?? request.model;
  if (model === undefined || !request.asks(body)) return {};
  return {
    ...identity(request),
    [ATTR_GEN_AI_REQUEST_MODEL]: model,
    [ATTR_GEN_AI_REQUEST_STREAM]: body.stream === true ? true : undefined,
  };
}

/**
 * What a plain request says of the model that it calls (docs/adr/0042): told by the address and, where that does not name the model, by the body.
 * Empty for every other request, and for one whose body is not known. Never throws.
 */
export function modelRequestView(
  { method, url }: { readonly method: string; readonly url: URL },
  body: MessageBody | undefined,
): SparseAttributes {
  if (method !== 'POST') return {};
  const view = (): SparseAttributes => {
    const named = requestByPath(url.pathname);
    if (named !== undefined)
      return {
        ...identity(named),
        [ATTR_GEN_AI_REQUEST_MODEL]: named.model,
        [ATTR_GEN_AI_REQUEST_STREAM]: named.isStreamed === true ? true : undefined,
      };
    if (body === undefined || !('text' in body)) return {};
    const asked = requestByBody(url);
    return asked === undefined ? {} : askedInBody(asked, body.text);
  };
  return guarded('reading the address of a model', view, {});
}

/** What the answer to a plain request says of the model that it called: which it was, and what it used. Empty for every other answer. Never throws. */
export function modelAnswerView(exchange: Exchange): SparseAttributes {
  const { request, response } = exchange;
  if (request.method !== 'POST' || response === undefined) return {};
  const view = (): SparseAttributes => {
    const url = new URL(request.url);
    const asked = requestByPath(url.pathname) ?? requestByBody(url);
    const body = asked === undefined ? undefined : answerBody(exchange, response);
    const answer = body === undefined ? undefined : asked?.read(body);
    return asked === undefined || answer === undefined ? {} : { ...identity(asked), ...answerAttributes(answer) };
  };
  return guarded('reading a model answer', view, {});
}
