import {
  GEN_AI_OPERATION_NAME_VALUE_CHAT,
  GEN_AI_OPERATION_NAME_VALUE_EMBEDDINGS,
  GEN_AI_OPERATION_NAME_VALUE_GENERATE_CONTENT,
  GEN_AI_PROVIDER_NAME_VALUE_AWS_BEDROCK,
  GEN_AI_PROVIDER_NAME_VALUE_GCP_GEMINI,
  GEN_AI_PROVIDER_NAME_VALUE_GCP_VERTEX_AI,
} from '@reenact/semconv/gen-ai';
import { converseAnswer, invokeAnswer } from './bedrock-answer.ts';
import { geminiAnswer } from './gemini-answer.ts';
import type { AnswerBody, ModelAnswer } from './model-answer.ts';

/** A request to a model as its address tells it, and who reads the answer. */
export interface ModelRequest {
  readonly operation: string;
  readonly provider: string;
  readonly model: string;
  readonly isStreamed: boolean;
  read(body: AnswerBody): ModelAnswer;
}

const gemini = /\/models\/([^/:]+):(generateContent|streamGenerateContent|embedContent|batchEmbedContents)$/;
const bedrock = /^\/model\/([^/]+)\/(converse|converse-stream|invoke|invoke-with-response-stream)$/;

function geminiRequest(path: string): ModelRequest | undefined {
  const [, model, method] = gemini.exec(path) ?? [];
  if (model === undefined || method === undefined) return undefined;
  const isEmbedding = /embed/i.test(method);
  return {
    operation: isEmbedding ? GEN_AI_OPERATION_NAME_VALUE_EMBEDDINGS : GEN_AI_OPERATION_NAME_VALUE_GENERATE_CONTENT,
    provider:
      path.includes('/projects/') || path.includes('/publishers/')
        ? GEN_AI_PROVIDER_NAME_VALUE_GCP_VERTEX_AI
        : GEN_AI_PROVIDER_NAME_VALUE_GCP_GEMINI,
    model,
    isStreamed: method === 'streamGenerateContent',
    read: geminiAnswer,
  };
}

function bedrockRequest(path: string): ModelRequest | undefined {
  const [, model, method] = bedrock.exec(path) ?? [];
  if (model === undefined || method === undefined) return undefined;
  return {
    operation: GEN_AI_OPERATION_NAME_VALUE_CHAT,
    provider: GEN_AI_PROVIDER_NAME_VALUE_AWS_BEDROCK,
    model: decodeURIComponent(model),
    isStreamed: method.endsWith('stream'),
    read: method.startsWith('converse') ? converseAnswer : invokeAnswer,
  };
}

/** The request to a model that goes to this address; undefined for every other. Throws where the address is no address. */
export function modelRequestTo(address: string): ModelRequest | undefined {
  const { pathname } = new URL(address);
  return geminiRequest(pathname) ?? bedrockRequest(pathname);
}
