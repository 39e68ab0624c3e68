import { ROOT_CONTEXT } from '@opentelemetry/api';
import { withPosition } from '../run/position.ts';
import { POSITION_MEMBER, positionReady, travelledPosition } from './travelled-position.ts';

/** What a process says to the question whether it takes part. */
export interface JoinAnswer {
  /** Resolves when this process has joined; undefined where it could not. Never rejects. */
  readonly proof: Promise<string | undefined>;
}

/**
 * What this process answers to the question whether it takes part in the replay of a token; undefined where it takes part in none, or
 * the token does not count, which is told to the diagnostics: the question is then the host's, like every other request. Never throws.
 */
export function answerToJoin(token: string): JoinAnswer | undefined {
  const position = travelledPosition(`${POSITION_MEMBER}=${token}`);
  if (position === undefined) return undefined;
  const ready = positionReady(withPosition(ROOT_CONTEXT, position)) ?? Promise.resolve();
  return { proof: ready.then(() => position.player.joinProof?.(token)) };
}
