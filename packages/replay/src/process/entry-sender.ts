import {
  DUE_MS_MAX,
  OUTCOME_POLL_MS,
  OUTCOME_WAIT_MS_MAX,
  RUN_TAIL_MS,
  RUN_TAIL_MS_MAX,
  TAIL_LOOK_MS,
} from '../limits.ts';
import { cutOffMs } from '../recorded/cut-off-ms.ts';
import type { ListeningEntry } from './listening-entry.ts';
import type { Listening } from './listening-file.ts';
import { type CountedRuns, ReportCounter } from './report-counter.ts';
import { gaveUp, tailMs } from './send-recorded-request.ts';

/** Waits, but not longer than the child lives. */
export function pause(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, ms);
    signal.addEventListener('abort', () => {
      clearTimeout(timer);
      resolve();
    });
    if (signal.aborted) resolve();
  });
}

/** Sends what was recorded to come in to the servers of one replay, and waits until what that enters has come to its end. */
export class EntrySender {
  private readonly outcomes: ReportCounter;
  private readonly rested: ReportCounter;
  private readonly due: ReportCounter;
  private readonly ended: AbortSignal;

  /** `directory` is the replay's; `ended` aborts when the child has ended. */
  constructor(directory: string, ended: AbortSignal) {
    this.outcomes = new ReportCounter(directory, 'outcome');
    this.rested = new ReportCounter(directory, 'rested');
    this.due = new ReportCounter(directory, 'due');
    this.ended = ended;
  }

  /** Gives what the report must say; never rejects for what the server does. `runs`: whose reports tell of its end. */
  async send(entry: ListeningEntry, place: Listening, runs: CountedRuns): Promise<string[]> {
    const { ended } = this;
    const hasGivenUp = gaveUp(entry.root);
    const answered = new AbortController();
    const signal = hasGivenUp ? AbortSignal.any([ended, this.givingUp(entry, runs, answered.signal)]) : ended;
    const notes = await entry.send(place, signal).finally(() => answered.abort());
    // Its answer leaves a moment before that: a child that is stopped in between would be told of as one that stopped before it had an outcome.
    await this.until(this.outcomes, runs, OUTCOME_WAIT_MS_MAX, OUTCOME_POLL_MS);
    if (entry.root.outcome.type === 'pending') await pause(RUN_TAIL_MS, ended);
    // What the run went on to do after its answer when it was recorded; one that was left goes on until it notices.
    else await this.until(this.rested, runs, hasGivenUp ? RUN_TAIL_MS_MAX : tailMs(entry), TAIL_LOOK_MS);
    return notes;
  }

  /**
   * Aborts when a run that was cut off has come as far as it had, however slow this machine is. The service itself has whoever asks leave at the place
   * where it was recorded to: by the clock of this process it would be before that wherever a replay takes longer.
   */
  private givingUp(entry: ListeningEntry, runs: CountedRuns, answered: AbortSignal): AbortSignal {
    // Beside a run, others come before it, each in its turn.
    const turnMs = runs === 'replayed' ? 0 : RUN_TAIL_MS_MAX;
    const isOver = entry.root.outcome.type === 'pending' ? this.rested : this.outcomes;
    const giving = new AbortController();
    void this.until(isOver, runs, cutOffMs(entry) + turnMs, TAIL_LOOK_MS, answered).then(() => giving.abort());
    return giving.signal;
  }

  /** Waits until the child says that a request is to be sent that it goes through with others. */
  async whenDue(runs: CountedRuns): Promise<void> {
    await this.until(this.due, runs, DUE_MS_MAX, OUTCOME_POLL_MS);
  }

  /** Waits until the child has written that, as long as it may take, or until that is `needless`. */
  private async until(
    counter: ReportCounter,
    runs: CountedRuns,
    limitMs: number,
    lookMs: number,
    needless?: AbortSignal,
  ): Promise<void> {
    const stopped = needless === undefined ? this.ended : AbortSignal.any([this.ended, needless]);
    const untilMs = performance.now() + limitMs;
    while (!stopped.aborted && counter.count(runs) === 0 && performance.now() < untilMs) await pause(lookMs, stopped);
  }
}
