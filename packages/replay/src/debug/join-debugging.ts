import { closeSync, openSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { isMainThread } from 'node:worker_threads';
import type { EventSink } from '../events/event-sink.ts';
import { realPath } from '../guard/real-path.ts';
import { isLauncher } from '../guard/source-tools.ts';
import type { DebugOrder } from './debug-order.ts';
import { DebuggerSession } from './debugger-session.ts';
import { type ArrivalListener, scoutPlaces } from './scout.ts';
import { stopBefore } from './stop-before.ts';

/** What a process needs to take part in a replay that is debugged. */
export interface DebugRequest {
  readonly order: DebugOrder;
  readonly sink: EventSink;
  /** Of the replay. */
  readonly directory: string;
}

/** One debugger, one port: the first process that runs code of the agent gets them. */
function isFirst(directory: string): boolean {
  try {
    closeSync(openSync(join(directory, 'debugged'), 'wx', 0o600));
    return true;
  } catch {
    return false;
  }
}

/**
 * Prepares this process for a debugger, and waits for it where one is to stop something: before any code of the user runs.
 * Gives who is to be told of every call; undefined where this process is not the one that is debugged.
 */
export function joinDebugging({ order, sink, directory }: DebugRequest): ArrivalListener | undefined {
  const mainScript = process.argv[1] === undefined ? undefined : realPath(process.argv[1]);
  if (!isMainThread || isLauncher(mainScript) || !isFirst(directory)) return undefined;
  if (order.type === 'scout') return scoutPlaces(order.spanIds, sink);
  const session = new DebuggerSession();
  if (order.type === 'first-line') {
    if (mainScript !== undefined) session.setBreakpoint({ url: pathToFileURL(mainScript).href, line: 0 });
    session.waitForDebugger(order.port);
    return undefined;
  }
  const listener = stopBefore(order.spanIds, order.places, session);
  session.waitForDebugger(order.port);
  return listener;
}
