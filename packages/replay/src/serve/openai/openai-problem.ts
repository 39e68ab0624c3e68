import type { ServedAnswer, ServedProblem } from '../serve-protocol.ts';

/** A problem in OpenAI's error format; the header keeps its client libraries from asking again. */
export function openAiProblem({ status, code, message }: ServedProblem): ServedAnswer {
  const error = { message, type: 'reenact_error', param: null, code };
  return {
    status,
    headers: [
      ['content-type', 'application/json'],
      ['x-should-retry', 'false'],
    ],
    chunks: [JSON.stringify({ error })],
  };
}
