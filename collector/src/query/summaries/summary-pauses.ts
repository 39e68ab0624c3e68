import type { StaleTrace } from '../../store/store.ts';
import {
  SUMMARIES_PAUSED_MAX,
  SUMMARY_BYTES_PER_QUIET_MS,
  SUMMARY_FOLLOWED_MS,
  SUMMARY_QUIET_MS,
  SUMMARY_STALE_MS_MAX,
} from '../limits.ts';

/** What a pause depends on beside the trace. */
export interface PauseOptions {
  /** Whether somebody follows the runs of a tenant, who is told of them as they are summarised. */
  readonly isFollowed: (tenant: string) => boolean;
  /** A clock that never goes back, milliseconds. */
  readonly nowMs: () => number;
}

interface Pause {
  readonly quietMs: number;
  readonly endMs: number;
}

interface HeldTrace {
  readonly trace: StaleTrace;
  readonly quietMs: number;
  /** When the first change came that no summary has, and when the last. */
  readonly staleSinceMs: number;
  readonly changedMs: number;
}

/**
 * Holds back runs that go on. An agent's run of an hour is sent in some hundred requests, and a summary reads all that is there of it: one
 * at each request would cost the square of the run. A run that was just summarised is next summarised when nothing more of it comes for a
 * while, the longer the larger it is, and after a minute in any case; whoever asks gets it at once.
 */
export class SummaryPauses {
  private readonly options: PauseOptions;
  /** Those that end first are mostly in front. */
  private readonly pauses = new Map<string, Pause>();
  private readonly held = new Map<string, HeldTrace>();

  constructor(options: PauseOptions) {
    this.options = options;
  }

  /** Begins the pause of a trace that is summarised now, of which there are so many bytes. */
  begin(trace: StaleTrace, bytes: number): void {
    const now = this.options.nowMs();
    const key = keyOf(trace);
    const quietMs = Math.min(Math.max(bytes / SUMMARY_BYTES_PER_QUIET_MS, SUMMARY_QUIET_MS), SUMMARY_STALE_MS_MAX);
    this.pauses.delete(key);
    this.pauses.set(key, { quietMs, endMs: now + quietMs });
    for (const [oldest, { endMs }] of this.pauses) {
      if (endMs > now && this.pauses.size <= SUMMARIES_PAUSED_MAX) break;
      this.pauses.delete(oldest);
    }
  }

  /** Holds a trace that changed in its pause, until it is released. False where it need not wait. */
  hold(trace: StaleTrace): boolean {
    const now = this.options.nowMs();
    const key = keyOf(trace);
    const known = this.held.get(key);
    const pause = this.pauses.get(key);
    if (known === undefined && (pause === undefined || pause.endMs <= now)) return false;
    if (known === undefined && this.held.size >= SUMMARIES_PAUSED_MAX) return false;
    const quietMs = pause?.quietMs ?? known?.quietMs ?? SUMMARY_QUIET_MS;
    this.held.set(key, { trace, quietMs, staleSinceMs: known?.staleSinceMs ?? now, changedMs: now });
    return true;
  }

  /** No longer holds a trace. */
  drop(trace: StaleTrace): void {
    this.held.delete(keyOf(trace));
  }

  /** Lets go of what is held of a tenant, and gives it. */
  release(tenant: string): StaleTrace[] {
    return this.take(({ trace }) => trace.tenant === tenant);
  }

  /** Lets go of what was held long enough, and gives it. */
  releaseDue(): StaleTrace[] {
    const now = this.options.nowMs();
    return this.take((held) => this.dueMs(held) <= now);
  }

  /** How long it is until something held is due, milliseconds; undefined where nothing is held. */
  nextDueMs(): number | undefined {
    let next: number | undefined;
    for (const held of this.held.values()) next = Math.min(next ?? Number.POSITIVE_INFINITY, this.dueMs(held));
    return next === undefined ? undefined : Math.max(next - this.options.nowMs(), 0);
  }

  /** Forgets everything. */
  clear(): void {
    this.pauses.clear();
    this.held.clear();
  }

  private dueMs({ trace, quietMs, staleSinceMs, changedMs }: HeldTrace): number {
    const staleMsMax = this.options.isFollowed(trace.tenant) ? SUMMARY_FOLLOWED_MS : SUMMARY_STALE_MS_MAX;
    return Math.min(changedMs + quietMs, staleSinceMs + staleMsMax);
  }

  private take(isWanted: (held: HeldTrace) => boolean): StaleTrace[] {
    const taken: StaleTrace[] = [];
    for (const [key, held] of this.held) {
      if (!isWanted(held)) continue;
      this.held.delete(key);
      taken.push(held.trace);
    }
    return taken;
  }
}

function keyOf({ tenant, traceId }: StaleTrace): string {
  return `${traceId} ${tenant}`;
}
