import type { StaleTrace } from '../../store/store.ts';
import {
  SUMMARIES_PAUSED_MAX,
  SUMMARY_BYTES_PER_QUIET_MS,
  SUMMARY_FIRST_QUIET_MS,
  SUMMARY_FOLLOWED_MS,
  SUMMARY_OPEN_MS_PER_QUIET_MS,
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
  /** When its first summary was made, as far as it is remembered. */
  readonly sinceMs: number;
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
 * at each request would cost the square of the run. A run is summarised when nothing more of it comes for a
 * while, the longer the larger it is and the longer it goes on, and after a minute in any case; whoever asks gets it at once. A run's first
 * summary waits a moment as well: to replace the words of its first half takes several times what entering them took.
 */
export class SummaryPauses {
  private readonly options: PauseOptions;
  /** Those that end first are mostly in front. */
  private readonly pauses = new Map<string, Pause>();
  private readonly held = new Map<string, HeldTrace>();

  constructor(options: PauseOptions) {
    this.options = options;
  }

  /** Begins the pause of a trace that is summarised now, of which there are so many bytes; a later one of the same trace takes its place. */
  begin(trace: StaleTrace, bytes: number): void {
    const now = this.options.nowMs();
    const key = keyOf(trace);
    const sinceMs = this.pauses.get(key)?.sinceMs ?? now;
    const wantedMs = Math.max(bytes / SUMMARY_BYTES_PER_QUIET_MS, (now - sinceMs) / SUMMARY_OPEN_MS_PER_QUIET_MS);
    const quietMs = Math.min(Math.max(wantedMs, SUMMARY_QUIET_MS), SUMMARY_STALE_MS_MAX);
    this.pauses.delete(key);
    this.pauses.set(key, { sinceMs, quietMs, endMs: now + quietMs });
    for (const [oldest, { endMs }] of this.pauses) {
      // One that is over is remembered a while: a run that goes on slowly is one run.
      if (endMs + SUMMARY_STALE_MS_MAX > now && this.pauses.size <= SUMMARIES_PAUSED_MAX) break;
      this.pauses.delete(oldest);
    }
  }

  /**
   * Holds a trace that changed, until it is released. False where it need not wait: outside of its pause where `holdsAll` is off, or where somebody
   * follows its tenant's runs and is to be told of it soon.
   */
  hold(trace: StaleTrace, holdsAll: boolean): boolean {
    const now = this.options.nowMs();
    const key = keyOf(trace);
    const known = this.held.get(key);
    const pause = this.pauses.get(key);
    const isInPause = pause !== undefined && pause.endMs > now;
    if (known === undefined && !isInPause && (!holdsAll || this.options.isFollowed(trace.tenant))) return false;
    if (known === undefined && this.held.size >= SUMMARIES_PAUSED_MAX) return false;
    const quietMs = pause?.quietMs ?? known?.quietMs ?? SUMMARY_FIRST_QUIET_MS;
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
