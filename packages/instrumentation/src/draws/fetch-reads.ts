import { types } from 'node:util';
import { pristine } from '../host/pristine.ts';
import { FETCH_READ_MS_MAX } from '../limits.ts';
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

/** Notes that an answer of `fetch` is under way; call what it gives once it has ended. */
export function noteFetch(): () => void {
  drawRecording.fetchesUnderWay += 1;
  return () => {
    drawRecording.fetchesUnderWay -= 1;
    drawRecording.fetchEndedMs = pristine.performanceNow();
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
 * Whether the clock is read by `fetch` itself and not by the agent or a client. `clock`: the function that was called. Looks at the stack,
 * which costs microseconds, only while an answer is under way and a moment longer.
 */
export function isFetchRead(clock: AnyClock): boolean {
  const { fetchesUnderWay, fetchEndedMs } = drawRecording;
  // It does its own reading a moment after the end. An immediate would tell when that is over, and keep a replay from being quiet.
  if (fetchesUnderWay === 0 && pristine.performanceNow() - fetchEndedMs > FETCH_READ_MS_MAX) return false;
  return FETCH_FILE.test(callingFiles(clock, 1)[0] ?? '');
}
