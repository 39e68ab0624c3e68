import {
  CLOCK_FUNCTIONS,
  DRAWS_MARK,
  type DrawFunction,
  type LateDraws,
  RANDOM_FUNCTIONS,
  type RecordedDraws,
  type Recording,
  type TickFunction,
} from '@reenact/trace-model';

const tickFunctions: readonly TickFunction[] = ['performance.now', 'process.hrtime', 'process.uptime'];

const known = new WeakMap<Recording, ReadonlyMap<string, readonly LateDraws[]>>();

function lateDrawsIn(recording: Recording): ReadonlyMap<string, readonly LateDraws[]> {
  const found = known.get(recording);
  if (found !== undefined) return found;
  const late = new Map<string, LateDraws[]>();
  const setUps = [...recording.setUps.values()].flatMap(({ crossings }) => crossings);
  for (const { draws } of new Set([...recording.bySpanId.values(), ...setUps])) {
    for (const [spanId, drawn] of Object.entries(draws?.late ?? {})) {
      late.set(spanId, [...(late.get(spanId) ?? []), ...drawn]);
    }
  }
  known.set(recording, late);
  return late;
}

/** What one crossing's code drew once that had ended, in order, as far as nothing in between is missing. */
function lateDrawsOf(spanId: string, recordings: readonly Recording[]): LateDraws[] {
  const byOrdinal = new Map<number, LateDraws>();
  for (const recording of recordings)
    for (const late of lateDrawsIn(recording).get(spanId) ?? []) byOrdinal.set(late.ordinal, late);
  const whole: LateDraws[] = [];
  for (let late = byOrdinal.get(0); late !== undefined; late = byOrdinal.get(late.ordinal + 1)) whole.push(late);
  return whole;
}

/** Pairs of a time since the one before and a count, of tapes each of which begins with a whole time. */
function joinedTimes(tapes: readonly (readonly number[])[]): number[] {
  let latestMs = 0;
  return tapes.flatMap((pairs) => {
    const since = pairs.map((number, index) => (index === 0 ? number - latestMs : number));
    latestMs = pairs.reduce((sum, number, index) => (index % 2 === 0 ? sum + number : sum), 0);
    return since;
  });
}

function joinedTicks(tapes: readonly (readonly number[])[]): number[] {
  let latestNano = 0;
  return tapes.flatMap((ticks) => {
    const since = ticks.map((number, index) => (index === 0 ? number - latestNano : number));
    latestNano = ticks.reduce((sum, number) => sum + number, 0);
    return since;
  });
}

/**
 * What a crossing's code drew, and what it went on to draw once that had ended, as one row (docs/adr/0049). Of a function of which the crossing's
 * own draws were not all kept, nothing is added: it would stand in the place of another one. `recordings`: which may carry it.
 */
export function continuedDraws(
  spanId: string,
  {
    own,
    lossy,
    recordings,
  }: { own: RecordedDraws | undefined; lossy: readonly string[]; recordings: readonly Recording[] },
): RecordedDraws | undefined {
  const late = lateDrawsOf(spanId, recordings);
  if (late.length === 0) return own;
  const isWhole = (name: DrawFunction): boolean => !lossy.some((mark) => mark.startsWith(`${DRAWS_MARK}${name} `));
  const tapesOf = <Name extends DrawFunction>(name: Name) =>
    [own, ...(isWhole(name) ? late : [])].map((draws) => draws?.[name] ?? []).filter(({ length }) => length > 0);
  const joined = [
    ...CLOCK_FUNCTIONS.map((name) => [name, joinedTimes(tapesOf(name))] as const),
    ...tickFunctions.map((name) => [name, joinedTicks(tapesOf(name))] as const),
    ...RANDOM_FUNCTIONS.map((name) => [name, tapesOf(name).flat()] as const),
  ].filter(([, values]) => values.length > 0);
  const skewMs = own?.skewMs ?? late.find((draws) => draws.skewMs !== undefined)?.skewMs;
  const ticks = own?.ticks ?? late.find((draws) => draws.ticks !== undefined)?.ticks;
  return { ...own, ...Object.fromEntries(joined), ...(skewMs !== undefined && { skewMs }), ...(ticks && { ticks }) };
}
