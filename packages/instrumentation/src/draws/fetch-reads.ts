import { performance } from 'node:perf_hooks';
import { types } from 'node:util';
import { pristine } from '../host/pristine.ts';
import { FETCH_READ_MS_MAX, FETCH_READ_TURNS_MAX } from '../limits.ts';
import { handedOn } from '../results/observe-promise.ts';
import { drawRecording } from '../run/draw-recording.ts';
import { callingFiles } from '../source-line.ts';

/** A function of the platform that tells a time. */
export type AnyClock = (...parameters: never[]) => unknown;

/**
 * Where Node.js keeps its `fetch`, and undici its own. They read clocks when a request is sent, when its answer begins and when a body has
 * ended, in whatever context the connection was made: the agent's own where the agent had aborted the request before. Nothing
 * reads a clock there in a replay, which reads no socket.
 */
const FETCH_FILE = /^node:internal\/deps\/undici\/undici$|[/\\]undici[/\\]lib[/\\]web[/\\]fetch[/\\]\w+\.js$/;

const { nodeTiming } = performance;

/** How often the event loop of this thread has turned. */
function turnCount(): number {
  return nodeTiming.uvMetricsInfo.loopCount;
}

/** Notes that an answer of `fetch` is under way; call what it gives once it has ended. */
export function noteFetch(): () => void {
  drawRecording.fetchesUnderWay += 1;
  return () => {
    drawRecording.fetchesUnderWay -= 1;
    drawRecording.fetchEndedMs = pristine.performanceNow();
    drawRecording.fetchEndedTurn = turnCount();
  };
}

/**
 * Notes a call of `fetch` until it is answered, also where nobody keeps the answer: one of `data:` ends before it is read. Hand on what it
 * gives in the answer's place.
 */
export function whileFetching<Answer>(answer: Promise<Answer>): Promise<Answer> {
  // Whatever stands in for `fetch` may give something else.
  if (!types.isPromise(answer)) return answer;
  const ended = noteFetch();
  return handedOn(answer, { fulfilled: ended, rejected: ended });
}

/**
 * Whether `fetch` has nothing more to read for itself, which it does a moment after the end. Not told by time alone: a process that gets no processor for long
 * reads late. An immediate would tell it, and keep a replay from being quiet.
 */
function isThrough(): boolean {
  const { fetchesUnderWay, fetchEndedMs, fetchEndedTurn } = drawRecording;
  if (fetchesUnderWay > 0) return false;
  if (fetchEndedMs === Number.NEGATIVE_INFINITY) return true;
  if (pristine.performanceNow() - fetchEndedMs <= FETCH_READ_MS_MAX) return false;
  if (turnCount() - fetchEndedTurn <= FETCH_READ_TURNS_MAX) return false;
  drawRecording.fetchEndedMs = Number.NEGATIVE_INFINITY;
  return true;
}

/**
 * Whether the clock is read by `fetch` itself and not by the agent or a client. `clock`: the function that was called. Looks at the stack,
 * which costs microseconds, only while an answer is under way and a moment longer.
 */
export function isFetchRead(clock: AnyClock): boolean {
  return !isThrough() && FETCH_FILE.test(callingFiles(clock, 1)[0] ?? '');
}
