import { type Context, diag } from '@opentelemetry/api';
import { gate } from './current-gate.ts';
import type { Position } from './player.ts';
import { positionOf } from './position.ts';
import { guarded } from './report-failure.ts';

/** Name of the one baggage member that carries a position between processes. */
export const POSITION_MEMBER = 'reenact.replay';

/**
 * The baggage member that carries the position of `context` to another process of the replay, `reenact.replay=<token>`;
 * undefined outside replays and where positions do not travel. Never throws.
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
 * The position that came in a W3C baggage header from another process of the replay this one takes part in; undefined
 * where there is none, or one that is not of this replay, which is told to the diagnostics. Never throws.
 */
export function travelledPosition(baggage: string | string[] | undefined): Position | undefined {
  const token = [baggage ?? []]
    .flat()
    .flatMap((text) => text.split(','))
    .map((member) => member.trim())
    .find((member) => member.startsWith(`${POSITION_MEMBER}=`))
    ?.slice(POSITION_MEMBER.length + 1)
    .split(';')[0]
    ?.trim();
  const player = gate.dedicatedPlayer;
  if (token === undefined || player === undefined) return undefined;
  const position = guarded('reading a position', () => player.positionOfToken?.(token), undefined);
  if (position === undefined) diag.warn('reenact: a position that is not of this replay was ignored.');
  return position;
}
