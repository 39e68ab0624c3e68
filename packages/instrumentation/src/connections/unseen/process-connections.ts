import { CONNECTIONS_MARK, INPUT_MARK, processState } from '@reenact/trace-model';
import { inputTape } from '../../input/input-tape.ts';
import type { Beginning } from '../../run/beginning.ts';
import { noteThreadDoing } from '../../run/thread-doings.ts';
import type { UnseenConnection, UnseenConnections } from '../../run/unseen-connections.ts';
import { callsOfThreads, ThreadsAtBegin } from './asked-threads.ts';
import { BEFORE_RUN, BESIDE_RUN, ConnectionList, type ListLength } from './connection-list.ts';
import { EarlyConnections } from './early-connections.ts';

/** With the mark of a run whose program has read input that is not recorded. */
function withInputMark(marks: readonly string[], isLacking: boolean): string[] {
  return isLacking ? [...marks, INPUT_MARK] : [...marks];
}

class ProcessConnections extends ConnectionList {
  override add(connection: UnseenConnection): void {
    noteThreadDoing('call');
    super.add(connection);
  }

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
 * What the code of one run does, and behind it what of the program around it a replay makes again and refuses, or cannot bring: programs that were started,
 * databases that add-ons opened, files that were changed and what came by itself outside all runs, before this one and while it goes on, and connections that it may have waited for
 * before. That has room of its own, as it is the same for all runs.
 */
class RunConnections extends ConnectionList {
  private readonly atBegin = ofProcess.length;
  private readonly around = new ConnectionList(' outside of the run');
  private readonly before = early.beforeRun();
  private readonly threads = new ThreadsAtBegin();
  private readonly isRequest: boolean;
  /** By something that no replay brings again. */
  private readonly isEntered: boolean;

  constructor(isRequest: boolean, { what }: Beginning) {
    super();
    this.isRequest = isRequest;
    this.isEntered = what !== undefined;
    this.addAs(BEFORE_RUN, nothing);
    for (const calls of callsOfThreads()) this.addAround(BEFORE_RUN, calls);
  }

  override marks(): string[] {
    for (const connection of this.before) if (!this.hasPlace(connection.place)) this.addAround(BEFORE_RUN, connection);
    this.addAs(BESIDE_RUN, this.atBegin);
    for (const calls of callsOfThreads()) {
      if (!this.around.hasPlace(`${BEFORE_RUN}${calls.place}`)) this.addAround(BESIDE_RUN, calls);
    }
    const own = super.marks();
    const isTold = (place: string): boolean => own.some((mark) => mark.startsWith(CONNECTIONS_MARK + place));
    for (const answers of this.threads.answersForAny(isTold)) this.addAround(BESIDE_RUN, answers);
    const marks = withInputMark(own, !this.isRequest && (inputTape.isCut || inputTape.isWaiting));
    return [...marks, ...this.around.marks()];
  }

  private addAs(when: string, since: ListLength): void {
    for (const done of ofProcess.sharedSince(since)) if (this.isOfRun(done)) this.addAround(when, done);
    if (ofProcess.isFullOfFiles) this.around.addMoreFiles();
  }

  private isOfRun({ arrival, place }: UnseenConnection): boolean {
    if (arrival === undefined) return true;
    // Who enters the run by its function is told that what came is lacking.
    if (this.isEntered) return false;
    // A request is replayed alone unless more is asked for, whatever others sent to its service before it.
    if (arrival === 'sent') return !this.isRequest;
    // What came while this run listened is told as its own.
    return !this.hasPlace(place);
  }

  private addAround(when: string, { place, package: name }: UnseenConnection): void {
    this.around.add({ place: `${when}${place}`, package: name });
  }
}

/** The list of a run that begins now. A request is sent again whatever the program reads beside it. */
export function connectionsOfRun(isRequest: boolean, beginning: Beginning): UnseenConnections {
  return new RunConnections(isRequest, beginning);
}
