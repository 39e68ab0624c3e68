import type { Crossing } from '@reenact/trace-model';
import { listed } from '../listed.ts';
import { knownUntil } from '../recorded/known-until.ts';

/** Calls that were not made because nobody knows what led to them. */
export interface BehindWhatIsKnown {
  readonly calls: ReadonlySet<Crossing>;
  /** Says so, with the answers that go no further; undefined where there are none. */
  readonly note: string | undefined;
}

/** Whether nothing beside a call that began later was met: what goes on behind one that was left out had no need of what is not known. */
function isLastBeside(met: readonly Crossing[]): (call: Crossing) => boolean {
  const latest = new Map<string | undefined, bigint>();
  for (const { parentSpanId, startTimeUnixNano } of met) {
    const known = latest.get(parentSpanId);
    if (known === undefined || known < startTimeUnixNano) latest.set(parentSpanId, startTimeUnixNano);
  }
  return ({ parentSpanId, startTimeUnixNano }) => {
    const known = latest.get(parentSpanId);
    return known === undefined || known < startTimeUnixNano;
  };
}

/**
 * Which calls a replay cannot come to because an answer that went on when its process was killed is known up to some moment only
 * (docs/adr/0037): what began behind that may have come of what it said next. `met`: what the replay came to; `unconsumed`: what it did not.
 */
export function behindWhatIsKnown(met: readonly Crossing[], unconsumed: readonly Crossing[]): BehindWhatIsKnown {
  const answers = met.flatMap((crossing) => {
    const untilUnixNano = knownUntil(crossing);
    return untilUnixNano === undefined ? [] : [{ path: crossing.path, untilUnixNano }];
  });
  const [first] = answers.toSorted((left, right) => Number(left.untilUnixNano - right.untilUnixNano));
  if (first === undefined) return { calls: new Set(), note: undefined };
  const isLast = isLastBeside(met);
  const calls = unconsumed.filter((call) => call.startTimeUnixNano >= first.untilUnixNano && isLast(call));
  const [last] = calls.toSorted((left, right) => Number(right.startTimeUnixNano - left.startTimeUnixNano));
  if (last === undefined) return { calls: new Set(), note: undefined };
  const led = answers.filter(({ untilUnixNano }) => untilUnixNano <= last.startTimeUnixNano);
  const [what, are] = calls.length === 1 ? ['1 call', 'is'] : [`${calls.length} calls`, 'are'];
  const note = `What came last of ${listed(led.map(({ path }) => path))} may not have been on the disk when the process was stopped, so that ${what} recorded behind it could not be reached, and ${are} not compared: ${listed(calls.map(({ path }) => path))}.`;
  return { calls: new Set(calls), note };
}
