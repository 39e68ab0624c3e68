import type { Crossing } from '@reenact/trace-model';

const READ_STEPWISE: ReadonlySet<Crossing['call']> = new Set([
  'exchange',
  'iterator',
  'iterable',
  'async-iterator',
  'async-iterable',
]);

/**
 * When the last came that is known of an answer which went on when its process was killed, a value of a stream or a piece over the wire: more may have come
 * that was not on the disk yet (docs/adr/0018). Undefined of every other crossing; of one that is answered at once nothing had come.
 */
export function knownUntil(crossing: Crossing): bigint | undefined {
  const { outcome, call, outlivesRun, startTimeUnixNano } = crossing;
  if (outcome.type !== 'pending' || outcome.unwritten !== undefined || outlivesRun !== undefined) return undefined;
  if (outcome.chunks === undefined && !READ_STEPWISE.has(call)) return undefined;
  const value = startTimeUnixNano + BigInt(Math.round((outcome.chunks?.at(-1)?.offsetUs ?? 0) * 1_000));
  const last = crossing.exchanges.at(-1);
  if (last?.response === undefined) return value;
  const afterUs = last.response.chunks.at(-1)?.[0] ?? last.response.headersAfterUs;
  const piece = BigInt(last.startedAtUnixNano) + BigInt(Math.round(afterUs * 1_000));
  return piece > value ? piece : value;
}
