import { BEGUN_MARK, processState } from '@reenact/trace-model';
import { pristine } from '../host/pristine.ts';
import { guarded } from '../host/report-failure.ts';
import { isInThread, noteThreadDoing } from './thread-doings.ts';

/** What the code that runs now was called for, where no replay calls it for that again. */
interface Arrival {
  /** Counts them; 0 where a replay calls the code again, as far as is known. */
  turn: number;
  lastTurn: number;
  describe: () => string | undefined;
}

/** How a crossing began. */
export interface Beginning {
  readonly turn: number;
  /** What no replay brings again, where it was the beginning of a run or of a call outside of all runs. */
  readonly what: string | undefined;
}

const nothing = (): undefined => undefined;

const arrival = processState('arrival.2', (): Arrival => ({ turn: 0, lastTurn: 0, describe: nothing }));

function forget(): void {
  arrival.turn = 0;
  arrival.describe = nothing;
}

/** How often the code that is called for something goes from promises to `process.nextTick` and back, at most, until it begins a run. */
const ROUNDS_MAX = 5;

const settled = Promise.resolve();

/**
 * Node.js goes through ticks and promises in rounds before it calls anybody for something else, be it of the same phase: an immediate that was
 * set before, a file that was read. Whatever hook is called then, no round is left.
 */
function forgetBehind(turn: number, roundsLeft: number): void {
  pristine.nextTick(() => {
    if (arrival.turn !== turn) return;
    if (roundsLeft === 0) forget();
    else void settled.then(() => forgetBehind(turn, roundsLeft - 1));
  });
}

/** Notes that something has come which no replay brings again, or, without `describe`, something else: for the code that is called for it. */
export function noteArrival(describe: (() => string) | undefined): void {
  forget();
  if (describe === undefined) return;
  arrival.lastTurn += 1;
  arrival.turn = arrival.lastTurn;
  arrival.describe = describe;
  forgetBehind(arrival.turn, ROUNDS_MAX);
}

/**
 * How a crossing begins here and now. `isOutside`: whether it stands in no run but that of the process, so that whatever comes behind it begins as
 * it did; asked only where something has come.
 */
export function beginningHere(isOutside: () => boolean): Beginning {
  noteThreadDoing('call');
  const { turn } = arrival;
  const tell = (): string | undefined => (isOutside() ? arrival.describe() : undefined);
  return { turn, what: turn === 0 ? undefined : guarded('telling how a run began', tell, undefined) };
}

/** Notes that a crossing ends: a replay gives its outcome again, and goes on behind it where it has begun that. */
export function noteEndOf({ turn, what }: Beginning): void {
  if (arrival.turn !== turn) noteArrival(what === undefined ? undefined : () => what);
}

/** The mark of a run whose program does not begin it again by itself in a replay. `isRequest`: it came in, and is sent again. */
export function markOfBeginning({ what }: Beginning, isRequest: boolean): string | undefined {
  if (isInThread) return `${BEGUN_MARK}in a worker thread`;
  return what === undefined || isRequest ? undefined : `${BEGUN_MARK}by ${what}`;
}
