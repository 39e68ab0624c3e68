/** Fires once nothing was heard for so long. */
export class SilenceTimer {
  private readonly timeoutMs: number;
  private readonly fire: () => void;
  private timer: ReturnType<typeof setTimeout>;

  constructor(timeoutMs: number, fire: () => void) {
    this.timeoutMs = timeoutMs;
    this.fire = fire;
    this.timer = setTimeout(fire, timeoutMs);
  }

  /** Something was heard. */
  restart(): void {
    clearTimeout(this.timer);
    this.timer = setTimeout(this.fire, this.timeoutMs);
  }

  stop(): void {
    clearTimeout(this.timer);
  }
}
