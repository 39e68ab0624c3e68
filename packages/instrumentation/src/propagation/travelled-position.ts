import { type Context, diag } from '@opentelemetry/api';
import { gate } from '../admission/current-gate.ts';
import type { Position } from '../gate/player.ts';
import { guarded } from '../host/report-failure.ts';
import { positionOf } from '../run/position.ts';

/** Name of the one baggage member that carries a position between processes. */
export const POSITION_MEMBER = 'reenact.replay';

function isPosition(member: string): boolean {
  return member.trim().startsWith(`${POSITION_MEMBER}=`);
}

/**
 * The baggage member that carries the position of `context` to another process of the replay, `reenact.replay=<token>`;
 * undefined outside replays and where positions do not travel. Ask `travelsTo` before sending it. Never throws.
 */
export function positionBaggage(context: Context): string | undefined {
  return guarded(
    'signing a position',
    () => {
      const position = positionOf(context);
      const token = position?.player.positionToken?.(position);
      return token === undefined ? undefined : `${POSITION_MEMBER}=${token}`;
    },
    undefined,
  );
}

/**
 * A W3C baggage header without the member that carries a position; undefined where nothing is left. Incoming requests are
 * shown to the host without it, so that code which forwards what it was sent never sends a position on.
 */
export function withoutPositionMember(baggage: string): string | undefined {
  if (!baggage.includes(POSITION_MEMBER)) return baggage;
  const left = baggage.split(',').filter((member) => !isPosition(member));
  return left.length === 0 ? undefined : left.join(',');
}

function tokenIn(baggage: string | string[] | undefined): string | undefined {
  return [baggage ?? []]
    .flat()
    .flatMap((text) => text.split(','))
    .find(isPosition)
    ?.trim()
    .slice(POSITION_MEMBER.length + 1)
    .split(';')[0]
    ?.trim();
}

/**
 * The position that came in a W3C baggage header from another process of a replay that this process takes part in, or, where it
 * was started with replay allowed, of one that it joins now; undefined where there is none, or one that does not count, which
 * is told to the diagnostics. Where `positionReady` gives a promise, wait for it before any code of the host runs. Never throws.
 */
export function travelledPosition(baggage: string | string[] | undefined): Position | undefined {
  const token = tokenIn(baggage);
  const read = gate.positionReader;
  if (token === undefined || read === undefined) return undefined;
  const position = guarded('reading a position', () => read(token), undefined);
  if (position === undefined) diag.warn('reenact: a position that is not of this replay was ignored.');
  return position;
}

/**
 * Resolves when the replay at the position of `context` can answer; undefined where it can at once, or there is none. Never
 * rejects: a replay that could not be joined refuses what it is asked.
 */
export function positionReady(context: Context): Promise<void> | undefined {
  return guarded('joining a replay', () => positionOf(context)?.player.ready?.(), undefined);
}
