import { processState } from '@reenact/trace-model';
import type { UnseenConnections } from '../run/unseen-connections.ts';
import { ConnectionList } from './connection-list.ts';

/** Of code that nothing encloses, for the run that the register hook may open around the process. */
const ofProcess = processState('process-connections.1', () => new ConnectionList());

/** What was connected, asked and started outside all crossings so far, and what still is. */
export function processConnections(): UnseenConnections {
  return ofProcess;
}

/**
 * What a run that begins now has of the program around it: programs that were started outside all runs. A replay makes that part of the
 * program again, and refuses to start them; undefined where there are none.
 */
export function startedBeforeRun(): UnseenConnections | undefined {
  const programs = ofProcess.startedPrograms();
  if (programs.length === 0) return undefined;
  const list = new ConnectionList();
  for (const { place, package: name } of programs) list.add({ place: `before the run: ${place}`, package: name });
  return list;
}
