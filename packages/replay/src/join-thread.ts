import type { Answer, Arrival } from '@reenact/instrumentation';
import { type Crossing, crossingLabel, ReenactError, toReenactError } from '@reenact/trace-model';
import { type EventSink, FileSink } from './events/event-sink.ts';
import { isThreadAsked } from './guard/asked-threads.ts';
import type { ForbiddenEffect, GuardedPlayer, HeldTelemetry } from './guard/guarded-player.ts';
import type { GuardRequest } from './guard/install-guard.ts';
import { ForbiddenReport } from './player/forbidden-report.ts';
import { readThreadOrder } from './process/replay-directory.ts';
import { REPLAY_DIRECTORY_VARIABLE } from './process-variables.ts';

/** Whether a thread is one that Vitest runs test files in. */
export function isOfVitest(file = ''): boolean {
  return /[/\\]vitest[/\\]dist[/\\]workers[/\\]\w*[tT]hreads\.js$/.test(file);
}

/** Takes the guard's reports in a thread, and answers nothing: what a thread calls is no part of the run. */
class ThreadPlayer implements GuardedPlayer {
  readonly replayId: string;
  readonly dedicated = true;
  readonly callShapeOf = (recorded: Crossing): Crossing['call'] => recorded.call;
  private readonly sink: EventSink;
  private readonly rootPath: string;
  private readonly forbidden: ForbiddenReport;

  constructor(replayId: string, rootPath: string, sink: EventSink) {
    this.replayId = replayId;
    this.rootPath = rootPath;
    this.sink = sink;
    this.forbidden = new ForbiddenReport(sink);
  }

  answer({ boundary }: Arrival): Answer {
    const label = crossingLabel(boundary);
    const message = `${label} was called in a worker thread, whose calls are no part of the run.`;
    const next = isOfVitest(process.argv[1])
      ? 'Give the command --pool=forks: of a process that Vitest runs tests in, calls are answered, whichever the run was recorded in.'
      : 'Put a boundary such as tool() around what the thread does, in the code that starts it, and record again. A run that began in the thread is entered by its function: `reenact replay <span-id> --entry <file>#<function>`.';
    this.reportForbidden({ message, next, position: undefined, source: undefined });
    return { type: 'refuse', error: new ReenactError('replay-refused', message, { where: label, next }) };
  }

  reportForbidden(effect: ForbiddenEffect): void {
    // When in the run it came cannot be told: a thread has its own course.
    if (effect.happened === true || isThreadAsked()) this.forbidden.report(effect, this.rootPath, 0);
    else this.forbidden.reportOfThread(effect, this.rootPath);
  }

  noteUnguarded(text: string): void {
    this.sink.write({ type: 'note', text, unverified: false });
  }

  reportTelemetry(held: HeldTelemetry): void {
    this.sink.write({ type: 'telemetry-held', ...held });
  }
}

/** A worker thread of a process that takes part in a replay. */
export interface JoinedThread {
  /** Refuses every call that is recorded elsewhere; install it with `installDedicatedPlayer`. */
  readonly player: GuardedPlayer;
  /** Hand it to `installGuard` before any code of the thread runs. */
  readonly guard: GuardRequest;
}

/**
 * Called first thing in a worker thread that a replay has started: its code runs again, on the real clock, and does nothing to the world.
 * Throws ReenactError where it cannot take part: the caller must then stop before any code of the thread runs.
 */
export function joinThread(environment: NodeJS.ProcessEnv = process.env): JoinedThread {
  const directory = environment[REPLAY_DIRECTORY_VARIABLE];
  if (directory === undefined || directory === '') {
    throw new ReenactError('driver-failed', 'A worker thread of a replay was started without its environment.', {
      next: `Leave ${REPLAY_DIRECTORY_VARIABLE} in the environment that you give to it.`,
    });
  }
  try {
    const { guard: allowed, rootPath, replayId } = readThreadOrder(directory);
    const player = new ThreadPlayer(replayId, rootPath, FileSink.open(directory));
    return { player, guard: { player, scope: 'process', allowed, directory } };
  } catch (thrown) {
    throw toReenactError(thrown, 'driver-failed');
  }
}
