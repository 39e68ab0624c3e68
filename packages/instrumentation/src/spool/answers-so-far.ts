import type { CrossingFacts, StartedCrossing } from '../gate/crossing-facts.ts';
import { outsideContexts } from '../host/outside-contexts.ts';
import { asOwnWork } from '../host/own-work.ts';
import { pristine } from '../host/pristine.ts';
import { guarded } from '../host/report-failure.ts';
import { SPOOL_ANSWER_MS, SPOOL_ANSWER_PARTS } from '../limits.ts';

interface OpenCrossing {
  readonly crossing: StartedCrossing;
  readonly sinceMs: number;
  dueMs: number;
  /** Not even what it was called with is written down. */
  isOwed: boolean;
  /** What of the answer is written down. */
  characters: number | undefined;
}

/** What is written, and where to. */
export interface AnswersSoFarOptions {
  /** Writes what stands for a crossing in the place of what stood for it; false where that cannot be, nor later. */
  readonly write: (spanKey: string, facts: CrossingFacts) => boolean;
  /** More of an answer is not written: what was written before stays. */
  readonly charactersMax: number;
  /** Default: the process's own clock, milliseconds. */
  readonly nowMs?: () => number;
}

/**
 * Writes down again what is open and has been answered in part: a stream that is being read, an answer whose body nobody reads. The host has
 * acted upon what came, and a process that is killed would leave nothing of it. The first time after `SPOOL_ANSWER_MS`, then whenever the
 * crossing is older by a quarter, so that behind that a fifth of the time is lost at most, all of it together is written about five times, and a short call not at all.
 */
export class AnswersSoFar {
  private readonly options: AnswersSoFarOptions;
  private readonly nowMs: () => number;
  private readonly open = new Map<string, OpenCrossing>();
  private timer: ReturnType<typeof setInterval> | undefined;

  constructor(options: AnswersSoFarOptions) {
    this.options = options;
    this.nowMs = options.nowMs ?? pristine.performanceNow;
  }

  /** The start of a crossing was written down. `isWhole`: with what it was called with, and not with digests alone. */
  began(crossing: StartedCrossing, isWhole: boolean): void {
    const sinceMs = this.nowMs();
    this.open.set(crossing.spanKey, {
      crossing,
      sinceMs,
      dueMs: sinceMs + SPOOL_ANSWER_MS,
      isOwed: !isWhole,
      characters: undefined,
    });
    // No run of the host is to stay in memory for a timer of ours.
    this.timer ??= outsideContexts(() => pristine.setInterval(() => this.writeDue(), SPOOL_ANSWER_MS));
    this.timer.unref();
  }

  /** The crossing has ended, and what it came to is written down. */
  ended(spanKey: string): void {
    this.open.delete(spanKey);
    if (this.open.size === 0) this.close();
  }

  /** Nothing is written any more. */
  close(): void {
    this.open.clear();
    if (this.timer !== undefined) pristine.clearInterval(this.timer);
    this.timer = undefined;
  }

  /** Writes what is due now. Never throws. */
  writeDue(): void {
    const nowMs = this.nowMs();
    for (const [spanKey, entry] of this.open) {
      if (nowMs < entry.dueMs) continue;
      const goesOn = guarded('spooling an answer', () => asOwnWork(() => this.writeOne(spanKey, entry, nowMs)), false);
      if (!goesOn) this.ended(spanKey);
    }
  }

  private writeOne(spanKey: string, entry: OpenCrossing, nowMs: number): boolean {
    const characters = entry.crossing.answeredCharacters();
    if (characters === entry.characters && !entry.isOwed) return true;
    if ((characters ?? 0) > this.options.charactersMax) return false;
    entry.isOwed = false;
    entry.characters = characters;
    entry.dueMs = nowMs + (nowMs - entry.sinceMs) / SPOOL_ANSWER_PARTS;
    return this.options.write(spanKey, entry.crossing.factsSoFar());
  }
}
