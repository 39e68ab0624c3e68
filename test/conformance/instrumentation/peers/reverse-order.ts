import type { ServerResponse } from 'node:http';

/** Holds answers back until `count` have come, then gives them out one by one, the last first. */
export class ReverseOrder {
  private readonly count: number;
  private held: (() => Promise<void>)[] = [];

  constructor(count: number) {
    this.count = count;
  }

  add(response: ServerResponse, answer: () => unknown): void {
    // The caller closes the connection when it has read its answer; only then comes the next one.
    response.setHeader('connection', 'close');
    this.held.push(async () => {
      const closed = new Promise((resolve) => response.socket?.once('close', resolve));
      answer();
      await closed;
    });
    if (this.held.length < this.count) return;
    void this.giveOut(this.held.splice(0).reverse());
  }

  private async giveOut(due: readonly (() => Promise<void>)[]): Promise<void> {
    for (const give of due) await give();
  }
}
