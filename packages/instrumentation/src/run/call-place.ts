import { type Context, context as contexts, createContextKey } from '@opentelemetry/api';
import type { SourceLine } from '@reenact/trace-model';
import { guarded } from '../host/report-failure.ts';
import { runInContext } from '../host/run-in-context.ts';
import { type Callee, callerLine, captureCall } from '../source-line.ts';

const CALL_PLACE_KEY = createContextKey('reenact.call-place.1');

/**
 * Runs `act`, and remembers for the calls that a library makes later which line of the user's led to them: by then it has left the stack. It is the line that
 * called `callee`, a function of ours that stands on the stack now. For replays, which ask for lines: it costs a look at the stack.
 */
export function withCallPlace<Result>(callee: Callee, act: () => Result): Result {
  const line = guarded('telling where a call is made', () => callerLine(callee, captureCall(callee)), undefined);
  return line === undefined ? act() : runInContext(contexts.active().setValue(CALL_PLACE_KEY, line), act);
}

/** The user's line that led to what runs in a context; undefined where none was kept. */
export function callPlaceOf(context: Context): SourceLine | undefined {
  return context.getValue(CALL_PLACE_KEY) as SourceLine | undefined;
}
