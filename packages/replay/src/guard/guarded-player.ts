import type { Player, Position } from '@reenact/instrumentation';
import type { SourceLine } from '@reenact/trace-model';

/** An effect that was refused, or found when it had happened, and from where it was attempted. */
export interface ForbiddenEffect {
  readonly message: string;
  /** What to do about it. */
  readonly next: string;
  /** The part of `next` that names the flag which lets it happen, with a blank before it. Default: none does. */
  readonly allow?: string;
  /** Undefined where no context reached the code, as while its modules load. */
  readonly position: Position | undefined;
  readonly source: SourceLine | undefined;
  /** It could not be refused, and was found when it had happened. */
  readonly happened?: boolean;
  /** It would have reached out to a host or a socket: a program may go on without the answer. */
  readonly isConnection?: boolean;
}

/** One request of an exporter that was held back. */
export interface HeldTelemetry {
  /** Where it would have gone. */
  readonly target: string;
  /** The flag that lets it out. */
  readonly allow: string;
}

/** What the guard needs of a replay: somebody to report to before anything is refused. Never throws. */
export interface GuardedPlayer extends Player {
  /** Reports a refused effect as divergence `forbidden`. */
  reportForbidden(forbidden: ForbiddenEffect): void;
  /** Whether processes that take part were started from a position when it was recorded. */
  startedProcesses?(position: Position): boolean;
  /** Whether what code does that stands here is the run's own, and nothing of the process beside it. Default: it may be. */
  standsWithin?(position: Position | undefined): boolean;
  /** Notes what the guard cannot see into. */
  noteUnguarded(text: string): void;
  /** Reports that telemetry was held back. */
  reportTelemetry(held: HeldTelemetry): void;
}

/** Decides about Node.js programs that take part and are started where no run goes on. */
export interface GuardedLaunch {
  /** Whether it is the process of the run, by the words behind the program. */
  launches(words: readonly string[]): boolean;
  /** What to do where it is not, for a process that was started by these words. */
  adviceFor(own: readonly string[]): string;
}

/** Whether a player takes the guard's reports. */
export function isGuardedPlayer(player: Player): player is GuardedPlayer {
  return 'reportForbidden' in player && 'noteUnguarded' in player;
}
