import type { ServedAnswer, ServedProblem } from '../serve-protocol.ts';

/** A problem in Anthropic's error format, its code where the API says what kind of error it is; the header keeps clients from asking again. */
export function anthropicProblem({ status, code, message }: ServedProblem): ServedAnswer {
  return {
    status,
    headers: [
      ['content-type', 'application/json'],
      ['x-should-retry', 'false'],
    ],
    chunks: [JSON.stringify({ type: 'error', error: { type: code, message } })],
  };
}
