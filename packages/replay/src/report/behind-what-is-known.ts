import type { Crossing, PendingOutcome } from '@reenact/trace-model';
import { listed } from '../listed.ts';

/** An answer that went on when its process was stopped: what came of it last may not have been on the disk. */
interface OpenAnswer {
  readonly crossing: Crossing;
  readonly knownUntilUnixNano: bigint;
}

const READ_STEPWISE: ReadonlySet<Crossing['call']> = new Set([
  'exchange',
  'iterator',
  'iterable',
  'async-iterator',
  'async-iterable',
]);

/** When the last of it came that is known: a value of a stream, or a piece of an answer over the wire. */
function knownUntil(crossing: Crossing, { chunks = [] }: PendingOutcome): bigint {
  const value = crossing.startTimeUnixNano + BigInt(Math.round((chunks.at(-1)?.offsetUs ?? 0) * 1_000));
  const last = crossing.exchanges.at(-1);
  if (last?.response === undefined) return value;
  const afterUs = last.response.chunks.at(-1)?.[0] ?? last.response.headersAfterUs;
  const piece = BigInt(last.startedAtUnixNano) + BigInt(Math.round(afterUs * 1_000));
  return piece > value ? piece : value;
}

function openAnswer(crossing: Crossing): OpenAnswer[] {
  const { outcome, call, outlivesRun } = crossing;
  if (outcome.type !== 'pending' || outcome.unwritten !== undefined || outlivesRun !== undefined) return [];
  // Of a call that is answered at once nothing had come.
  if (outcome.chunks === undefined && !READ_STEPWISE.has(call)) return [];
  return [{ crossing, knownUntilUnixNano: knownUntil(crossing, outcome) }];
}

/** Calls that were not made because nobody knows what led to them. */
export interface BehindWhatIsKnown {
  readonly calls: ReadonlySet<Crossing>;
  /** Says so, with the answers that go no further; undefined where there are none. */
  readonly note: string | undefined;
}

/**
 * Which calls a replay cannot come to because an answer that went on when its process was killed is known up to some moment only
 * (docs/adr/0018): what began behind that may have come of what it said next. `met`: what the replay came to; `unconsumed`: what it did not.
 */
export function behindWhatIsKnown(met: readonly Crossing[], unconsumed: readonly Crossing[]): BehindWhatIsKnown {
  const answers = met.flatMap(openAnswer);
  const isBehind = (call: Crossing, { crossing, knownUntilUnixNano }: OpenAnswer): boolean =>
    call.processId === crossing.processId && call.startTimeUnixNano >= knownUntilUnixNano;
  const calls = unconsumed.filter((call) => answers.some((answer) => isBehind(call, answer)));
  if (calls.length === 0) return { calls: new Set(), note: undefined };
  const led = answers.filter((answer) => calls.some((call) => isBehind(call, answer)));
  const what = calls.length === 1 ? '1 call' : `${calls.length} calls`;
  const note = `What came last of ${listed(led.map(({ crossing }) => crossing.path))} was not on the disk when the process was stopped, so that ${what} recorded behind it could not be reached, and ${calls.length === 1 ? 'is' : 'are'} not compared: ${listed(calls.map(({ path }) => path))}.`;
  return { calls: new Set(calls), note };
}
