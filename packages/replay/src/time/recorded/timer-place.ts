/** Where a timer stood when the run was recorded. */
export interface RecordedTimer {
  readonly hasFired: boolean;
  /** When it fired, or by when it had not; microseconds since the run started. */
  readonly timeUs: number;
  /** Its number among the events of the run, or how many of them had been numbered by then. */
  readonly order: number;
  /** Whether it is a timer of the process outside of the run: that is its number among the events there. */
  readonly isOutside?: boolean;
}

/** A timer of the agent's, as it is set. */
export interface TimerOptions {
  /** Whole milliseconds, at least 1; 0 of an immediate. */
  readonly delayMs: number;
  /** Whether the process stays for it. */
  readonly isHolding: boolean;
  /** Calls what it was set with, now or by the platform; `began` is told just before. The result takes it back where it has not begun. */
  readonly fire: (began: () => void) => () => void;
  /** Default: it is not known, and virtual time decides. */
  readonly recorded?: RecordedTimer | undefined;
  /** Whether it is work outside JavaScript, which begins when it is due and is waited for then. */
  readonly isWork?: boolean | undefined;
  /** Whether other runs of the process come to it, too, and it begins when all have. */
  readonly isShared?: boolean | undefined;
  /** Told where the replay is over before its turn has come. */
  readonly dropped?: (() => void) | undefined;
  /** When what it hands on was recorded to come of its own accord, microseconds since the run started. Default: it hands on nothing that came. */
  readonly deliveredUs?: number | undefined;
}

/** A timer that waits for its turn. */
export interface ArmedTimer {
  cancel(): void;
  /** Whether the process stays for it. */
  hold(isHolding: boolean): void;
}

/** A timer's place in the schedule. */
export interface TimerPlace {
  /** Where the run stood, or the set-up before it, when it was set. */
  readonly setUs: number;
  /** When it would fire at the latest, on the real clock of `runningMs`. */
  readonly realDueMs: number;
  /** Undefined where it is not known. */
  readonly recorded: RecordedTimer | undefined;
  readonly deliveredUs: number | undefined;
  readonly isWork: boolean;
  readonly isShared: boolean;
  readonly dropped: (() => void) | undefined;
  /** Since when nothing but calls that are still to come has held it back, on the same clock. */
  waitsSinceMs?: number;
  isHolding: boolean;
  /** Fired or cancelled. */
  isOver: boolean;
}
