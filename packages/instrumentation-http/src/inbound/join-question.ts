import { ROOT_CONTEXT } from '@opentelemetry/api';
import {
  JOIN_PROOF_HEADER,
  JOIN_QUESTION_HEADER,
  POSITION_MEMBER,
  positionReady,
  travelledPosition,
  withPosition,
} from '@reenact/instrumentation';
import type { InboundEvent } from './inbound-run.ts';

/**
 * Answers the question whether this process takes part in a replay, where it does and the position in it counts. False: it is
 * no such question, and the host's to answer.
 */
export function answersJoinQuestion({ request, response }: InboundEvent): boolean {
  const token = request.headers[JOIN_QUESTION_HEADER];
  if (request.method !== 'OPTIONS' || typeof token !== 'string') return false;
  const position = travelledPosition(`${POSITION_MEMBER}=${token}`);
  if (position === undefined) return false;
  const answer = (): void => {
    const proof = position.player.joinProof?.(token);
    response
      .writeHead(proof === undefined ? 503 : 204, proof === undefined ? {} : { [JOIN_PROOF_HEADER]: proof })
      .end();
  };
  const ready = positionReady(withPosition(ROOT_CONTEXT, position));
  if (ready === undefined) answer();
  else void ready.then(answer);
  return true;
}
