import { API_OPERATIONS, openApiDocument } from '@reenact/trace-model/collector-api';
import { type Answerer, answerJson, parametersOf } from './answer.ts';

/** `GET /api/v1/openapi.json`: the document this server checks by. */
export function createOpenApiAnswerer(): Answerer {
  const answer = answerJson(openApiDocument());
  return async (question) => {
    parametersOf(question, API_OPERATIONS.getOpenApi.parameters);
    return answer;
  };
}
