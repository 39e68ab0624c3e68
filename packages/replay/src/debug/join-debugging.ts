import { pathToFileURL } from 'node:url';
import { isMainThread } from 'node:worker_threads';
import { realPath } from '@reenact/instrumentation';
import type { EventSink } from '../events/event-sink.ts';
import { isLauncher } from '../guard/source-tools.ts';
import type { DebugOrder } from './debug-order.ts';
import { claimDebugger } from './debugged-process.ts';
import { DebuggerSession } from './debugger-session.ts';
import { type ArrivalListener, scoutPlaces } from './scout.ts';
import { stopBefore } from './stop-before.ts';

/** What a process needs to take part in a replay that is debugged. */
export interface DebugRequest {
  readonly order: DebugOrder;
  readonly sink: EventSink;
  /** Of the replay. */
  readonly directory: string;
  /** The crossing that a function of the user enters; undefined where the program itself does. */
  readonly enteredSpanId: string | undefined;
}

/** How a process takes part in a replay that is debugged. */
export interface Debugging {
  /** To be told of every call. */
  readonly arrived?: ArrivalListener;
  /** To be told of the function that is about to enter the replay. */
  readonly entering?: (fn: object) => void;
}

/**
 * Prepares this process for a debugger, and waits for it where one is to stop something: before any code of the user runs.
 * Undefined where this process is not the one that is debugged.
 */
export function joinDebugging(request: DebugRequest): Debugging | undefined {
  const { order, sink, directory, enteredSpanId } = request;
  const mainScript = process.argv[1] === undefined ? undefined : realPath(process.argv[1]);
  if (!isMainThread || isLauncher(mainScript) || !claimDebugger(directory)) return undefined;
  if (order.type === 'scout') return { arrived: scoutPlaces(order.spanIds, sink) };
  const session = new DebuggerSession();
  const entering = (fn: object): void => session.stopIn(fn);
  if (order.type === 'first-line') {
    const isEntered = enteredSpanId !== undefined;
    if (!isEntered && mainScript !== undefined) session.setBreakpoint({ url: pathToFileURL(mainScript).href, line: 0 });
    session.waitForDebugger(order.port);
    return isEntered ? { entering } : {};
  }
  const called = order.spanIds.filter((spanId) => spanId !== enteredSpanId);
  const arrived = stopBefore(called, order.places, (breakpoint) => session.setBreakpoint(breakpoint));
  session.waitForDebugger(order.port);
  return called.length === order.spanIds.length ? { arrived } : { arrived, entering };
}
