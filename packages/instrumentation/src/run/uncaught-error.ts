/** An error of the program that nothing caught. */
export interface UncaughtError {
  readonly error: unknown;
  /** Whether it was thrown, or is what a promise was rejected with. */
  readonly origin: 'exception' | 'rejection';
}
