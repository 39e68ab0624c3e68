import { processState } from '@reenact/trace-model';
import type { UnseenConnections } from '../run/unseen-connections.ts';
import { BEFORE_RUN, ConnectionList } from './connection-list.ts';

/** Of code that nothing encloses, for the run that the register hook may open around the process. */
const ofProcess = processState('process-connections.1', () => new ConnectionList());

/** What was connected, asked and started outside all crossings so far, and what still is. */
export function processConnections(): UnseenConnections {
  return ofProcess;
}

/**
 * What a run that begins now has of the program around it: programs that were started and files that were changed outside all runs. A replay
 * makes that part of the program again, and refuses both; undefined where there are none.
 */
export function startedBeforeRun(): UnseenConnections | undefined {
  const found = ofProcess.programsAndFiles();
  if (found.length === 0) return undefined;
  const list = new ConnectionList();
  for (const { place, package: name } of found) list.add({ place: `${BEFORE_RUN}${place}`, package: name });
  return list;
}
