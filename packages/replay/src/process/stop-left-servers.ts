import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as wait } from 'node:timers/promises';
import { DRIVER_WATCH_MS, LEFT_SERVERS_LOOK_MS } from '../limits.ts';
import { isGone } from './is-gone.ts';
import { type ListeningProcess, listeningProcesses } from './listening-file.ts';
import { gatherReports } from './replay-directory.ts';
import { tellToStop } from './replay-driver.ts';

function leftServers(directory: string): readonly ListeningProcess[] {
  const left = listeningProcesses(directory).filter(({ processId, isHere }) => !isHere || !isGone(processId));
  if (left.length === 0) return left;
  // What the run itself started, and left behind, is waited for elsewhere.
  const ofRun = gatherReports(directory).events.flatMap(({ event }) =>
    event.type === 'started' ? [event.number] : [],
  );
  return left.filter(({ processId }) => !ofRun.includes(processId));
}

/**
 * Ends the servers that a stopped command leaves: `npx` and `npm start` start theirs by a shell, which ends without telling them. It would
 * keep its port from the next replay for as long as the driver goes on. Resolves once those of this machine have ended, or, as each looks
 * every `DRIVER_WATCH_MS` whether it is to, that and `stopMsMax` milliseconds later; nobody here sees one end that is in a container. Never rejects.
 */
export async function stopLeftServers(child: ChildProcess, directory: string, stopMsMax: number): Promise<void> {
  try {
    if (child.exitCode === null && child.signalCode === null) await once(child, 'exit');
    const left = leftServers(directory);
    for (const { processId } of left) tellToStop(directory, processId);
    const untilMs = performance.now() + DRIVER_WATCH_MS + stopMsMax;
    const hasEnded = ({ processId, isHere }: ListeningProcess): boolean => !isHere || isGone(processId);
    while (!left.every(hasEnded) && performance.now() < untilMs) await wait(LEFT_SERVERS_LOOK_MS);
  } catch {
    // The directory cannot be read: the report will say what there is to say.
  }
}
