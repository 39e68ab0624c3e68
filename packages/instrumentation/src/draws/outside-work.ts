/** One piece of work that goes on outside JavaScript, in the thread pool or in the kernel, and ends in a callback or a promise. */
export interface OutsideWork {
  /** Its place among the work of its name in the crossing around it, from 0; undefined where it has none, or has not begun. */
  readonly ordinal: number | undefined;
  /** Calls `start`, which begins it for real: now, and throws what that throws, or later, where it is not yet its turn. */
  begin(start: () => void): void;
  /** It has ended, and the agent hears of it now. */
  ended(): void;
  /** Nobody wants to hear of it any more. What has not begun begins now. */
  left(): void;
}

/** What is done about work that code begins; undefined: nothing. Never throws. */
export type WorkOf = (name: string) => OutsideWork | undefined;
