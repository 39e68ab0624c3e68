import { brotliDecompressSync, inflateSync, unzipSync, zstdDecompressSync } from 'node:zlib';
import { guarded, RESPONSE_VIEW_CHARACTERS_MAX, type SparseAttributes } from '@reenact/instrumentation';
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
import { chunkBytes, type Exchange, type ExchangeResponse } from '@reenact/trace-model';
import type { AnswerBody, ModelAnswer } from './model-answer.ts';
import { type ModelRequest, modelRequestTo } from './model-request.ts';

const unpackers: Readonly<Record<string, (bytes: Buffer, options: { maxOutputLength: number }) => Buffer>> = {
  gzip: unzipSync,
  deflate: inflateSync,
  br: brotliDecompressSync,
  zstd: zstdDecompressSync,
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

function answerAttributes(answer: ModelAnswer): SparseAttributes {
  return {
    [ATTR_GEN_AI_RESPONSE_MODEL]: answer.model,
    [ATTR_GEN_AI_RESPONSE_ID]: answer.id,
    [ATTR_GEN_AI_RESPONSE_FINISH_REASONS]: answer.finishReasons === undefined ? undefined : [...answer.finishReasons],
    [ATTR_GEN_AI_USAGE_INPUT_TOKENS]: answer.inputTokens,
    [ATTR_GEN_AI_USAGE_CACHE_READ_INPUT_TOKENS]: answer.cacheReadTokens,
    [ATTR_GEN_AI_USAGE_CACHE_CREATION_INPUT_TOKENS]: answer.cacheWriteTokens,
    [ATTR_GEN_AI_USAGE_OUTPUT_TOKENS]: answer.outputTokens,
    [ATTR_GEN_AI_USAGE_REASONING_OUTPUT_TOKENS]: answer.reasoningTokens,
  };
}

function answered(asked: ModelRequest, exchange: Exchange): ModelAnswer | undefined {
  const body = exchange.response === undefined ? undefined : answerBody(exchange, exchange.response);
  return body === undefined ? undefined : asked.read(body);
}

/**
 * What a plain request says of the model that it calls: which, and what it used (docs/adr/0042). Told by the address; empty for every other.
 * Throws where the address is none; the caller guards it.
 */
export function modelView(exchange: Exchange): SparseAttributes {
  const { request } = exchange;
  if (request.method !== 'POST') return {};
  const asked = modelRequestTo(request.url);
  if (asked === undefined) return {};
  // Which model it was stays told where the answer cannot be read.
  const answer = guarded('reading a model answer', () => answered(asked, exchange), undefined);
  return {
    [ATTR_GEN_AI_OPERATION_NAME]: asked.operation,
    [ATTR_GEN_AI_PROVIDER_NAME]: asked.provider,
    [ATTR_GEN_AI_REQUEST_MODEL]: asked.model,
    [ATTR_GEN_AI_REQUEST_STREAM]: asked.isStreamed ? true : undefined,
    ...(answer === undefined ? {} : answerAttributes(answer)),
  };
}
