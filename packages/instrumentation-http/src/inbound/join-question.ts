import { answerToJoin, JOIN_PROOF_HEADER, JOIN_QUESTION_HEADER } from '@reenact/instrumentation';
import type { InboundEvent } from './inbound-event.ts';

/**
 * Answers the question whether this process takes part in a replay, where it does and the position in it counts. False: it is
 * no such question, and the host's to answer.
 */
export function answersJoinQuestion({ head, respond }: InboundEvent): boolean {
  const token = head.headers[JOIN_QUESTION_HEADER];
  if (head.method !== 'OPTIONS' || typeof token !== 'string') return false;
  const answer = answerToJoin(token);
  if (answer === undefined) return false;
  void answer.proof.then((proof) => {
    if (proof === undefined) respond(503, {}, '');
    else respond(204, { [JOIN_PROOF_HEADER]: proof }, '');
  });
  return true;
}
