/** What the broker's interface answers when it refuses. */
export class BrokerError extends Error {
  readonly code: string;
  readonly status: number;

  constructor(message: string, code: string, status: number) {
    super(message);
    this.name = 'BrokerError';
    this.code = code;
    this.status = status;
  }
}
