import { REFERENCE_ASKED_MS_MAX, REFERENCE_REST_MS_MAX } from '../limits.ts';

/** What a host is asked by. */
export interface ContentHostOptions {
  /** For how long it is left alone the first time that it does not answer. */
  readonly firstRestMs: number;
  /** How much is asked of it at one time. */
  readonly atOnceMax: number;
  /** A clock that never goes back. */
  readonly nowMs: () => number;
}

/** A host that content is fetched from, or a folder: how much is asked of it at one time, and for how long it is left alone where it does not answer. */
export class ContentHost {
  private readonly firstRestMs: number;
  private readonly atOnceMax: number;
  private readonly nowMs: () => number;
  private asking = 0;
  private readonly waiting: (() => void)[] = [];
  private answeredMs = Number.NEGATIVE_INFINITY;
  private restedFromMs = Number.NEGATIVE_INFINITY;
  private restMs = 0;
  private askedUntilMs = Number.NEGATIVE_INFINITY;
  private left = 0;

  constructor({ firstRestMs, atOnceMax, nowMs }: ContentHostOptions) {
    this.firstRestMs = firstRestMs;
    this.atOnceMax = atOnceMax;
    this.nowMs = nowMs;
  }

  /** Whether it is left alone for now. */
  get isResting(): boolean {
    return this.left > 0 || this.hasAsked || this.nowMs() < this.restedFromMs + this.restMs;
  }

  /** Whether that is because it asked for it. */
  get hasAsked(): boolean {
    return this.nowMs() < this.askedUntilMs;
  }

  /** Does something once no more is in work than may be at one time, in the order of the calls. */
  async inTurn<Result>(work: () => Promise<Result>): Promise<Result> {
    if (this.asking >= this.atOnceMax) await new Promise<void>((resolve) => this.waiting.push(resolve));
    else this.asking += 1;
    try {
      return await work();
    } finally {
      // Its place goes to the next, so that nobody comes between.
      const next = this.waiting.shift();
      if (next === undefined) this.asking -= 1;
      else next();
    }
  }

  /** That something goes on of which nobody waits for the end and which cannot be broken off: it is left alone until then. */
  noteLeft(work: Promise<unknown>): void {
    this.left += 1;
    const end = () => {
      this.left -= 1;
    };
    work.then(end, end);
  }

  noteAnswer(): void {
    this.answeredMs = this.nowMs();
    this.restMs = 0;
  }

  /** That it asked to be left alone, whatever else it answers meanwhile. */
  noteAsked(waitMs: number): void {
    this.askedUntilMs = Math.max(this.askedUntilMs, this.nowMs() + Math.min(waitMs, REFERENCE_ASKED_MS_MAX));
  }

  /** That it did not answer what it was asked then. Where it has answered something else since, that is no reason to leave it alone. */
  noteSilence(askedMs: number): void {
    if (this.isResting || this.answeredMs > askedMs) return;
    this.restMs = this.restMs === 0 ? this.firstRestMs : Math.min(2 * this.restMs, REFERENCE_REST_MS_MAX);
    this.restedFromMs = this.nowMs();
  }
}
