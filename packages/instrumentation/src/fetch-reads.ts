import { context as contexts } from '@opentelemetry/api';
import { scopeOf } from './crossing-scope.ts';
import { drawRecording } from './draw-recording.ts';
import { pristine } from './pristine.ts';
import { isCalledFrom } from './source-line.ts';

/**
 * Where Node.js keeps its `fetch`. It reads the clock once when a body has ended, in whatever context its connection was made: the
 * agent's own where the agent had aborted the request before. Nothing reads the clock there in a replay, which reads no socket.
 */
const FETCH_FILE = 'node:internal/deps/undici/undici';

/** Notes that an answer of `fetch` is under way; call what it gives once it has ended. */
export function noteFetch(): () => void {
  drawRecording.fetchesUnderWay += 1;
  return () => {
    // `fetch` does its own reading in the same turn.
    pristine
      .setImmediate(() => {
        drawRecording.fetchesUnderWay -= 1;
      })
      .unref();
  };
}

/**
 * Whether the clock is read by `fetch` itself and not by the agent. `clock`: the function that was called. Looks at the stack,
 * which costs microseconds, only while an answer is under way, and not inside a client's call: no code of the agent runs there.
 */
export function isFetchRead(clock: () => number): boolean {
  if (drawRecording.fetchesUnderWay === 0) return false;
  const scope = scopeOf(contexts.active());
  return scope?.isClientCall !== true && isCalledFrom(clock, FETCH_FILE);
}
