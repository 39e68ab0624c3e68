import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as wait } from 'node:timers/promises';
import { DRIVER_WATCH_MS, LEFT_SERVERS_LOOK_MS } from '../limits.ts';
import { isGone } from './is-gone.ts';
import { listeningProcesses } from './listening-file.ts';
import { gatherReports } from './replay-directory.ts';
import { tellToStop } from './replay-driver.ts';

function leftServers(directory: string): readonly number[] {
  const left = listeningProcesses(directory).filter((processId) => !isGone(processId));
  if (left.length === 0) return left;
  // What the run itself started, and left behind, is waited for elsewhere.
  const ofRun = gatherReports(directory).events.flatMap(({ event }) =>
    event.type === 'started' ? [event.number] : [],
  );
  return left.filter((processId) => !ofRun.includes(processId));
}

/**
 * Ends the servers that a stopped command leaves: `npx` and `npm start` start theirs by a shell, which ends without telling them. It would
 * keep its port from the next replay for as long as the driver goes on. Resolves once they have ended, or after `stopMsMax` milliseconds.
 * Never rejects.
 */
export async function stopLeftServers(child: ChildProcess, directory: string, stopMsMax: number): Promise<void> {
  try {
    if (child.exitCode === null && child.signalCode === null) await once(child, 'exit');
    const left = leftServers(directory);
    for (const processId of left) tellToStop(directory, processId);
    const untilMs = performance.now() + DRIVER_WATCH_MS + stopMsMax;
    while (!left.every(isGone) && performance.now() < untilMs) await wait(LEFT_SERVERS_LOOK_MS);
  } catch {
    // The directory cannot be read: the report will say what there is to say.
  }
}
