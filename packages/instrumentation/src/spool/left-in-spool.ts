/** Counts spans that wait on the disk for another process, because memory has no room even for where they are, and says so once on stderr. */
export class LeftInSpool {
  private spans = 0;

  /** How many there were. */
  get total(): number {
    return this.spans;
  }

  /** Counts one more. Never throws. */
  count(): void {
    this.spans += 1;
    if (this.spans > 1) return;
    try {
      process.stderr.write(
        'reenact: more recorded spans wait on the disk than this process can keep track of. Further ones are delivered when it ends, or by `npx reenact spool deliver` then. Told once.\n',
      );
    } catch {
      // stderr may be closed; the spans are as safe as they were.
    }
  }
}
