import {
  GEN_AI_OPERATION_NAME_VALUE_CHAT,
  GEN_AI_OPERATION_NAME_VALUE_EMBEDDINGS,
  GEN_AI_OPERATION_NAME_VALUE_GENERATE_CONTENT,
  GEN_AI_PROVIDER_NAME_VALUE_AWS_BEDROCK,
  GEN_AI_PROVIDER_NAME_VALUE_GCP_GEMINI,
  GEN_AI_PROVIDER_NAME_VALUE_GCP_VERTEX_AI,
} from '@reenact/semconv/gen-ai';
import { anthropicAnswer } from './anthropic-answer.ts';
import { converseAnswer, invokeAnswer } from './bedrock-answer.ts';
import { geminiAnswer } from './gemini-answer.ts';
import type { ModelRequest } from './model-request.ts';
import { completionAnswer } from './openai-answer.ts';

const gemini = /\/models\/([^/:]+):(generateContent|streamGenerateContent|embedContent|batchEmbedContents)$/;
const vertexPartner = /\/publishers\/[^/]+\/models\/([^/:]+):(rawPredict|streamRawPredict)$/;
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

/** Models of others on Vertex AI: body and answer are those of their own API. */
function vertexPartnerRequest(path: string): ModelRequest | undefined {
  const [, model, method] = vertexPartner.exec(path) ?? [];
  if (model === undefined) return undefined;
  return {
    operation: GEN_AI_OPERATION_NAME_VALUE_CHAT,
    provider: GEN_AI_PROVIDER_NAME_VALUE_GCP_VERTEX_AI,
    model,
    isStreamed: method === 'streamRawPredict',
    read: (body) => anthropicAnswer(body) ?? completionAnswer(body),
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

/** The request to a model whose path names it; undefined for every other. Throws where the path is no path. */
export function requestByPath(path: string): ModelRequest | undefined {
  return geminiRequest(path) ?? vertexPartnerRequest(path) ?? bedrockRequest(path);
}
