import { processState } from '@reenact/trace-model';
import type { UnseenConnections } from '../run/unseen-connections.ts';
import { BEFORE_RUN, BESIDE_RUN, ConnectionList, type ListLength } from './connection-list.ts';

/** Of code that nothing encloses, for the run that the register hook may open around the process. */
const ofProcess = processState('process-connections.2', () => new ConnectionList());

/** What was connected, asked and started outside all crossings so far, and what still is. */
export function processConnections(): UnseenConnections {
  return ofProcess;
}

const nothing = { connections: 0, files: 0 };

/**
 * What the code of one run does, and behind it what of the program around it a replay makes again and refuses: programs that were started and
 * files that were changed outside all runs, before this one and while it goes on. That has room of its own, as it is the same for all runs.
 */
class RunConnections extends ConnectionList {
  private readonly atBegin = ofProcess.length;
  private readonly around = new ConnectionList(' outside of the run');

  constructor() {
    super();
    this.addAs(BEFORE_RUN, nothing);
  }

  override marks(): string[] {
    this.addAs(BESIDE_RUN, this.atBegin);
    return [...super.marks(), ...this.around.marks()];
  }

  private addAs(when: string, since: ListLength): void {
    for (const { place, package: name } of ofProcess.programsAndFilesSince(since))
      this.around.add({ place: `${when}${place}`, package: name });
    if (ofProcess.isFullOfFiles) this.around.addMoreFiles();
  }
}

/** The list of a run that begins now. */
export function connectionsOfRun(): UnseenConnections {
  return new RunConnections();
}
