/** How one destination is doing, since the collector started; `queued` counts what waits on disk. */
export interface DestinationHealth {
  readonly name: string;
  /** Without a password, and without the values of parameters. */
  readonly url: string;
  readonly content: 'slim' | 'full';
  /**
   * False while the last delivery failed and is being retried, and while the destination refuses whatever it is sent, of every signal. Where it refused
   * something and nothing else waits it is asked with an empty request, and again from time to time until it takes one.
   */
  readonly isHealthy: boolean;
  readonly queued: number;
  /** ISO 8601: when what waits longest was received, where something waits and that was noted. */
  readonly oldestQueuedAt?: string;
  readonly delivered: number;
  /** Items given up because the destination will never take them, by reason. */
  readonly dropped: Readonly<Record<string, number>>;
  readonly lastError?: string;
  /** ISO 8601; only while a delivery waits to be retried. */
  readonly retryAt?: string;
}
