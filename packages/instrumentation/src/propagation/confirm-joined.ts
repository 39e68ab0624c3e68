import type { Admission } from '../gate/gate.ts';
import type { Position } from '../gate/player.ts';
import { reportFailure } from '../host/report-failure.ts';
import { runInContext } from '../host/run-in-context.ts';
import { positionOf } from '../run/position.ts';
import { travelsToUrl } from './propagation-list.ts';

/** Asks what answers whether it takes part in the replay of a token. Resolves with its proof, to be verified, or undefined. Never rejects. */
export type AskToJoin = (token: string) => Promise<string | undefined>;

async function isJoined(url: URL | undefined, position: Position | undefined, ask: AskToJoin): Promise<boolean> {
  if (url === undefined || position === undefined || !travelsToUrl(url)) return false;
  const { player } = position;
  const token = player.positionToken?.(position);
  const proof = token === undefined ? undefined : await ask(token);
  return token !== undefined && proof !== undefined && player.isJoinProof?.(token, proof) === true;
}

/**
 * How a call is answered that another process of the replay may have to answer: that process is asked first, and nothing of the call
 * is sent to one that does not prove that it takes part, for it would carry it out for real. Gives the admission itself where
 * nothing has to be asked. `url`: where the call leads, undefined where that cannot be told; `ask` runs inside the crossing. Never
 * rejects.
 */
export function confirmed(admission: Admission, url: URL | undefined, ask: AskToJoin): Admission | Promise<Admission> {
  if (admission.type !== 'run' || admission.unjoined === undefined) return admission;
  const { crossing, unjoined } = admission;
  const asking = runInContext(crossing.context, () => isJoined(url, positionOf(crossing.context), ask));
  return asking.then(
    (joined) => (joined ? admission : unjoined(url?.host ?? 'an unknown address')),
    (thrown: unknown) => {
      reportFailure('asking a service', thrown);
      return unjoined(url?.host ?? 'an unknown address');
    },
  );
}
