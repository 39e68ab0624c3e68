import {
  BETWEEN_RUNS,
  CLOCK_FUNCTIONS,
  type Crossing,
  DRAWS_MARK,
  type DrawFunction,
  type LateDraws,
  RANDOM_FUNCTIONS,
  READING_FUNCTIONS,
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

/** What was drawn late, in order, as far as nothing in between is missing. */
function inOrder(carried: readonly LateDraws[]): LateDraws[] {
  const byOrdinal = new Map(carried.map((late) => [late.ordinal, late]));
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
  const late = recordings.flatMap((recording) => lateDrawsIn(recording).get(spanId) ?? []);
  return joinedDraws(own, late, (name) => !lossy.some((mark) => mark.startsWith(`${DRAWS_MARK}${name} `)));
}

/** What the process drew in none of its runs: before the first, which that run holds, and between them, which each later one does. `roots`: of those that are held. */
export function drawnOutside(roots: readonly Crossing[]): RecordedDraws | undefined {
  const own = roots.find(({ processDraws }) => processDraws !== undefined)?.processDraws;
  return joinedDraws(
    own,
    roots.flatMap(({ draws }) => draws?.late?.[BETWEEN_RUNS] ?? []),
  );
}

function joinedDraws(
  own: RecordedDraws | undefined,
  carried: readonly LateDraws[],
  isWhole: (name: DrawFunction) => boolean = () => true,
): RecordedDraws | undefined {
  const late = inOrder(carried);
  if (late.length === 0) return own;
  const tapesOf = <Name extends DrawFunction>(name: Name) =>
    [own, ...(isWhole(name) ? late : [])].map((draws) => draws?.[name] ?? []).filter(({ length }) => length > 0);
  const joined = [
    ...CLOCK_FUNCTIONS.map((name) => [name, joinedTimes(tapesOf(name))] as const),
    ...tickFunctions.map((name) => [name, joinedTicks(tapesOf(name))] as const),
    ...[...RANDOM_FUNCTIONS, ...READING_FUNCTIONS].map((name) => [name, tapesOf(name).flat()] as const),
  ].filter(([, values]) => values.length > 0);
  const skewMs = own?.skewMs ?? late.find((draws) => draws.skewMs !== undefined)?.skewMs;
  const ticks = own?.ticks ?? late.find((draws) => draws.ticks !== undefined)?.ticks;
  return { ...own, ...Object.fromEntries(joined), ...(skewMs !== undefined && { skewMs }), ...(ticks && { ticks }) };
}
