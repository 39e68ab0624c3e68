import { answerToJoin, JOIN_PROOF_HEADER, JOIN_QUESTION_HEADER } from '@reenact/instrumentation';
import type { InboundEvent } from './inbound-run.ts';

/**
 * Answers the question whether this process takes part in a replay, where it does and the position in it counts. False: it is
 * no such question, and the host's to answer.
 */
export function answersJoinQuestion({ request, response }: InboundEvent): boolean {
  const token = request.headers[JOIN_QUESTION_HEADER];
  if (request.method !== 'OPTIONS' || typeof token !== 'string') return false;
  const answer = answerToJoin(token);
  if (answer === undefined) return false;
  void answer.proof.then((proof) => {
    response
      .writeHead(proof === undefined ? 503 : 204, proof === undefined ? {} : { [JOIN_PROOF_HEADER]: proof })
      .end();
  });
  return true;
}
