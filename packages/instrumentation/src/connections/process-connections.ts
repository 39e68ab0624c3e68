import { INPUT_MARK, processState } from '@reenact/trace-model';
import { inputTape } from '../input/input-tape.ts';
import type { UnseenConnection, UnseenConnections } from '../run/unseen-connections.ts';
import { BEFORE_RUN, BESIDE_RUN, ConnectionList, type ListLength } from './connection-list.ts';
import { EarlyConnections } from './early-connections.ts';

/** With the mark of a run whose program has read input that is not recorded. */
function withInputMark(marks: readonly string[], isLacking: boolean): string[] {
  return isLacking ? [...marks, INPUT_MARK] : [...marks];
}

class ProcessConnections extends ConnectionList {
  override marks(): string[] {
    return withInputMark(super.marks(), inputTape.isCut);
  }
}

/** Of code that nothing encloses, for the run that the register hook may open around the process. */
const ofProcess = processState('process-connections.2', () => new ProcessConnections());

const early = processState('early-connections.1', () => new EarlyConnections());

/** What the program may have waited for before its runs. */
export function earlyConnections(): EarlyConnections {
  return early;
}

/** What was connected, asked and started outside all crossings so far, and what still is. */
export function processConnections(): UnseenConnections {
  return ofProcess;
}

const nothing = { connections: 0, files: 0 };

/**
 * What the code of one run does, and behind it what of the program around it a replay makes again and refuses: programs that were started,
 * databases that add-ons opened and files that were changed outside all runs, before this one and while it goes on, and connections that it may have waited for before. That has
 * room of its own, as it is the same for all runs.
 */
class RunConnections extends ConnectionList {
  private readonly atBegin = ofProcess.length;
  private readonly around = new ConnectionList(' outside of the run');
  private readonly before = early.beforeRun();
  private readonly needsInput: boolean;

  constructor(needsInput: boolean) {
    super();
    this.needsInput = needsInput;
    this.addAs(BEFORE_RUN, nothing);
  }

  override marks(): string[] {
    for (const connection of this.before) if (!this.hasPlace(connection.place)) this.addAround(BEFORE_RUN, connection);
    this.addAs(BESIDE_RUN, this.atBegin);
    const marks = withInputMark(super.marks(), this.needsInput && (inputTape.isCut || inputTape.isWaiting));
    return [...marks, ...this.around.marks()];
  }

  private addAs(when: string, since: ListLength): void {
    for (const done of ofProcess.repeatedSince(since)) this.addAround(when, done);
    if (ofProcess.isFullOfFiles) this.around.addMoreFiles();
  }

  private addAround(when: string, { place, package: name }: UnseenConnection): void {
    this.around.add({ place: `${when}${place}`, package: name });
  }
}

/** The list of a run that begins now. `isRequest`: it came in, and is sent again whatever the program reads beside it. */
export function connectionsOfRun(isRequest: boolean): UnseenConnections {
  return new RunConnections(!isRequest);
}
