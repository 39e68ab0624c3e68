import type { Context } from '@opentelemetry/api';
import { askToJoin, type Position, positionOf, travelsToUrl } from '@reenact/instrumentation';
import { ReenactError } from '@reenact/trace-model';

async function confirm(url: URL, position: Position): Promise<ReenactError | undefined> {
  const { player } = position;
  const token = travelsToUrl(url) ? player.positionToken?.(position) : undefined;
  const proof = token === undefined ? undefined : await askToJoin(url, token);
  if (token !== undefined && proof !== undefined && player.isJoinProof?.(token, proof) === true) return undefined;
  const unknown = new ReenactError('replay-refused', `${url.host} takes no part in this replay.`, { where: url.host });
  return player.notJoined?.(position, url.host) ?? unknown;
}

/**
 * Where a request of a replay must reach a service that takes part, asks there first: nothing of the request is sent to one that
 * would carry it out for real. Resolves with the error to fail the request with, which is in the report then, or undefined. Undefined
 * at once where nothing has to be asked.
 */
export function confirmJoined(url: URL, context: Context): Promise<ReenactError | undefined> | undefined {
  const position = positionOf(context);
  return position?.mustBeJoined === true ? confirm(url, position) : undefined;
}
