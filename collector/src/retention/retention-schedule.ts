import { join } from 'node:path';
import { toReenactError } from '@reenact/trace-model';
import type { CollectorConfig } from '../config.ts';
import type { Log } from '../logging/log.ts';
import { RepeatedLog } from '../logging/repeated-log.ts';
import { RETENTION_TIME_FILE } from '../store/data-directory.ts';
import type { KeptRun, RetentionAges, RetentionPolicy, Store } from '../store/store.ts';
import { RetentionClock, type RetentionTime, timeFromLost } from './retention-clock.ts';
import { readRetentionTime, writeRetentionTime } from './retention-time-file.ts';

const DAY_MS = 86_400_000;

/** How often the clocks are looked at: what came while one was wrong is known for that only where it was seen wrong. */
const CLOCK_LOOK_INTERVAL_MS = 1000;

/** The policy that a configuration asks for. */
export function retentionPolicyOf({
  graceDays,
  ordinaryDays,
  specialDays,
  bytesMax,
}: CollectorConfig['retention']): RetentionPolicy {
  return {
    graceMs: graceDays * DAY_MS,
    ordinaryMs: ordinaryDays * DAY_MS,
    specialMs: specialDays * DAY_MS,
    bytesMax: bytesMax ?? Number.POSITIVE_INFINITY,
  };
}

/** A store to thin out, and the directory that it is in. */
export interface RetainedStore {
  readonly store: Store;
  readonly dataDirectory: string;
}

/** Thins out the store by a policy, soon after the start and then regularly. */
export class RetentionSchedule {
  private readonly store: Store;
  private readonly dataDirectory: string;
  private readonly policy: RetentionPolicy;
  private readonly log: Log;
  private readonly timers: readonly NodeJS.Timeout[];
  private readonly keptGone = new RepeatedLog();
  private isTooLarge = false;
  private isRunning = false;
  private clock: RetentionClock | undefined;
  private readonly stopping = new AbortController();
  private running: Promise<void>;

  constructor({ store, dataDirectory }: RetainedStore, policy: RetentionPolicy, intervalMs: number, log: Log) {
    this.store = store;
    this.dataDirectory = dataDirectory;
    this.policy = policy;
    this.log = log;
    // At once: a machine often has its clock set right in its first seconds.
    this.running = this.startClock().then(
      (clock) => void this.readTime(clock),
      () => undefined,
    );
    const run = () => this.run();
    const look = () => void (this.clock && this.look(this.clock));
    this.timers = [
      setTimeout(run, intervalMs / 10).unref(),
      setInterval(run, intervalMs).unref(),
      setInterval(look, CLOCK_LOOK_INTERVAL_MS).unref(),
    ];
  }

  /** Ends after the step in work: a pass over a large store takes longer than a stop may. */
  async stop(): Promise<void> {
    this.stopping.abort();
    for (const timer of this.timers) clearTimeout(timer);
    await this.running;
    // How long the machine was off is told by its clock alone, so as little as possible is to be taken for it.
    if (this.clock !== undefined) this.readTime(this.clock);
    this.keptGone.stop();
  }

  private async startClock(): Promise<RetentionClock> {
    if (this.clock !== undefined) return this.clock;
    this.clock = new RetentionClock({
      last: await this.readLast(),
      graceMs: this.policy.graceMs,
      onLeap: (aheadMs) =>
        this.log.warn('clock leapt ahead', {
          aheadMs,
          next: 'Set the clock of this machine right. Retention goes by it again once it is, or after a grace window.',
        }),
    });
    return this.clock;
  }

  /** Undefined where the store is new. */
  private async readLast(): Promise<RetentionTime | undefined> {
    const kept = readRetentionTime(this.dataDirectory);
    const where = join(this.dataDirectory, RETENTION_TIME_FILE);
    if (kept !== undefined) {
      const next = 'It is written again now. Look for errors of the disk in the log of the system (dmesg).';
      if (kept.isFromCopy) this.log.warn('retention times read from their copy', { where, next });
      return kept.time;
    }
    const { lastExpireMs, lastReceiptMs } = await this.store.stats();
    const lastMs = lastExpireMs ?? lastReceiptMs;
    // Whoever stops before its first pass has nothing to lose: what it has was received just now.
    if (lastMs === undefined) return undefined;
    const next =
      'How the clock was set is not known any more, so every run counts as received now, and stays for its whole time. Have the size of the store watched, or put back both files from a backup and start again.';
    if (lastExpireMs !== undefined) this.log.warn('retention times lost', { where, next });
    return timeFromLost(lastMs);
  }

  private readTime(clock: RetentionClock): number {
    const nowMs = clock.nowMs();
    writeRetentionTime(this.dataDirectory, clock.lastTime);
    return nowMs;
  }

  /** A clock that is set is noted at once, since it may be set again before the next pass, and the process may be killed. */
  private look(clock: RetentionClock): RetentionAges {
    if (clock.wasSet()) this.readTime(clock);
    return clock.ages;
  }

  /** What somebody wanted to keep never goes unsaid. */
  private tellKeptGone({ tenant, traceId, reason }: KeptRun): void {
    const next = 'Give retention.bytesMax more, and export what has to stay; a backup may still have it.';
    this.keptGone.tell('', 1, (count) => this.log.warn('kept runs gone', { count, tenant, traceId, reason, next }));
  }

  /** Where a size is asked for that cannot be kept to, somebody has to hear of it before the disk is full. */
  private tellSize(excess: number): void {
    const { bytesMax } = this.policy;
    if (bytesMax === Number.POSITIVE_INFINITY) return;
    const isTooLarge = excess > 0;
    if (isTooLarge && !this.isTooLarge) {
      const next = 'Everything beyond graceDays is gone: give retention.bytesMax more, or make graceDays shorter.';
      this.log.warn('larger than bytesMax', { bytes: bytesMax + excess, bytesMax, next });
    }
    if (!isTooLarge && this.isTooLarge) this.log.info('within bytesMax again', { bytesMax });
    this.isTooLarge = isTooLarge;
  }

  /** What fails, as on a disk that is full, is tried again the next time. */
  private run(): void {
    // One that takes longer than the interval stands for those that were due meanwhile.
    if (this.isRunning) return;
    this.isRunning = true;
    const onKeptGone = (run: KeptRun) => this.tellKeptGone(run);
    let excess: number | undefined;
    const onExcess = (bytes: number) => {
      excess = bytes;
    };
    const { signal } = this.stopping;
    this.running = this.running
      .then(() => this.startClock())
      .then((clock) => {
        const nowMs = this.readTime(clock);
        const ages = () => this.look(clock);
        return this.store.expire({ ...this.policy, ages, onKeptGone, onExcess, signal }, nowMs);
      })
      .then((deletedRuns) => {
        if (deletedRuns > 0) this.log.info('thinned out', { deletedRuns });
        if (excess !== undefined) this.tellSize(excess);
      })
      .catch((thrown: unknown) => {
        const { message, where = '', next = '' } = toReenactError(thrown);
        this.log.error('thinning out failed', { message, where, next });
      })
      .finally(() => {
        this.isRunning = false;
      });
  }
}
