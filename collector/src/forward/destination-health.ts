/** How one destination is doing, since the collector started; `queued` counts what waits on disk. */
export interface DestinationHealth {
  readonly name: string;
  /** Without a password, and without the values of parameters. */
  readonly url: string;
  readonly content: 'slim' | 'full';
  /** False while the last delivery failed and is being retried, and while everything is refused for good, of every signal. */
  readonly isHealthy: boolean;
  readonly queued: number;
  readonly delivered: number;
  /** Items given up because the destination will never take them, by reason. */
  readonly dropped: Readonly<Record<string, number>>;
  readonly lastError?: string;
  /** ISO 8601; only while a delivery waits to be retried. */
  readonly retryAt?: string;
}
