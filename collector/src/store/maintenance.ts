import { describeError, toReenactError } from '@reenact/trace-model/reenact-error';
import { WorkerLink } from '../threads/worker-link.ts';
import { IdleTime } from './idle-time.ts';
import { indexLogBytes } from './index/open-index.ts';
import {
  INDEX_LOG_BYTES_BUSY,
  INDEX_LOG_BYTES_MAX,
  MAINTENANCE_INTERVAL_MS,
  RECOMPRESS_RETRY_MS,
  SETTLE_LOG_BYTES,
} from './limits.ts';
import type { Settlement } from './pack/settler.ts';
import type { ThreadAccess } from './store.ts';
import type { StoreReader } from './store-reader.ts';
import type { TextKeeper } from './text-keeper.ts';
import type { SettlerCalls, SettlerData, WriterLink } from './worker/calls.ts';
import type { SettleScope } from './worker/settlement-book.ts';

const workerFolder = new URL('./worker/', import.meta.url);

interface Parts {
  readonly writer: WriterLink;
  readonly reader: StoreReader;
  readonly texts: TextKeeper;
  /** Told when settling begins to fail, with why, and when it goes on. */
  readonly onBackground: ((error: string | undefined) => void) | undefined;
}

/** Settles, merges, rewrites and, in idle time, compresses again in the background; the settler's thread starts with the first work for it. */
export class Maintenance {
  /** Why the last settlement failed; undefined once one has succeeded. */
  lastError: string | undefined;
  private readonly onBackground: Parts['onBackground'];
  private readonly access: ThreadAccess;
  private readonly writer: WriterLink;
  private readonly reader: StoreReader;
  private readonly texts: TextKeeper;
  private readonly timer: NodeJS.Timeout;
  private settler: WorkerLink<SettlerCalls> | undefined;
  private running: Promise<void> = Promise.resolve();
  private isDue = false;
  private isStopped = false;
  /** Whether the databases' own logs may say what was deleted. An earlier process may have left some. */
  private mayLogsTell = true;
  /** How many ask for something and wait for what is in work. */
  private waiting = 0;
  private appendedBytes = 0;
  private readonly idle = new IdleTime(performance.now());
  /** Packs that could not be compressed again, with the time until which they are left alone. */
  private readonly spared = new Map<number, number>();

  constructor(access: ThreadAccess, { writer, reader, texts, onBackground }: Parts) {
    this.access = access;
    this.writer = writer;
    this.reader = reader;
    this.texts = texts;
    this.onBackground = onBackground;
    this.timer = setInterval(() => this.wake(), MAINTENANCE_INTERVAL_MS);
    this.timer.unref();
  }

  /** Says that so much was appended. */
  note(bytes: number): void {
    this.idle.noteBytes(bytes, performance.now());
    this.appendedBytes += bytes;
    if (this.appendedBytes < SETTLE_LOG_BYTES / 4) return;
    this.appendedBytes = 0;
    this.wake();
  }

  /** Says that something was deleted that nobody waits for: what the databases' own logs still say of it is cut off in idle time. */
  noteDeleted(): void {
    this.mayLogsTell = true;
  }

  /** Says that so many summaries were written. */
  noteSummaries(count: number): void {
    this.idle.noteSummaries(count, performance.now());
  }

  /** Works off what is due, unless that is going on already. A failure is tried again at the next interval. */
  wake(): void {
    if (this.isDue || this.isStopped) return;
    this.isDue = true;
    this.settle('due').then(
      () => this.remember(undefined),
      (thrown: unknown) => this.remember(describeError(toReenactError(thrown))),
    );
  }

  private remember(error: string | undefined): void {
    const isNews = (error === undefined) !== (this.lastError === undefined);
    this.lastError = error;
    if (isNews) this.onBackground?.(error);
  }

  /** Resolves when everything in scope at this call is settled, or behind the step in work where it is told to end. */
  settle(scope: SettleScope, signal?: AbortSignal): Promise<void> {
    if (scope === 'everything') return this.hold(() => this.run(scope, signal));
    const turn = this.running.catch(() => undefined).then(() => this.run(scope));
    this.running = turn;
    return turn;
  }

  /** Runs `work` while no file is removed or written over. */
  hold<Result>(work: () => Promise<Result>): Promise<Result> {
    this.waiting += 1;
    this.idle.giveWay();
    const turn = this.running
      .catch(() => undefined)
      .then(() => {
        this.waiting -= 1;
        return work();
      });
    this.running = turn.then(
      () => undefined,
      () => undefined,
    );
    return turn;
  }

  /**
   * Compresses again everything that was compressed in a hurry until now, whatever else there is to do, which has its turn between two packs.
   * A pack that cannot be read is left as it is, and the first of such failures told at the end.
   */
  async compressAllAgain(signal?: AbortSignal): Promise<void> {
    const failures: unknown[] = [];
    for (let left = this.reader.hurriedPacks(); left > 0 && !this.isStopped && signal?.aborted !== true; left -= 1) {
      const again = this.hold(() => this.compressAgain('settle'));
      if (!(await again.catch((thrown: unknown) => failures.push(thrown)))) break;
    }
    if (failures.length > 0) throw failures[0];
  }

  /** Ends after the settlement in work. */
  async stop(): Promise<void> {
    this.isStopped = true;
    this.idle.giveWay();
    clearInterval(this.timer);
    await this.running.catch(() => undefined);
    await this.settler?.call('close', null).catch(() => undefined);
    await this.settler?.stop();
  }

  private async run(scope: SettleScope, signal?: AbortSignal): Promise<void> {
    this.isDue = false;
    try {
      await this.settleAll(scope, signal);
      if (scope === 'due') await this.useIdleTime();
    } catch (thrown) {
      // Also on a disk that is full: the index's own log grows until it is copied back. Where this fails too, the first cause is the one to tell.
      await this.tidy(scope).catch(() => undefined);
      throw thrown;
    }
    await this.tidy(scope);
  }

  private async tidy(scope: SettleScope): Promise<void> {
    // Cut off, a log has to be free of readers, whom the writer waits for: nobody is to be held up by that while much comes.
    const isFull = scope === 'everything' || (this.mayLogsTell && this.idle.begin(performance.now()));
    if (isFull) this.mayLogsTell = false;
    await this.copyBack(INDEX_LOG_BYTES_MAX);
    await this.writer.call('tidy', { isFull });
    await this.texts.tidy(isFull);
    // Somebody read it all the while.
    if (isFull && indexLogBytes(this.access.dataDirectory) > 0) this.mayLogsTell = true;
    // Nobody may be sending any more: what statistics say of it would stay as it was.
    if (this.writer.facts?.refusal !== undefined) await this.writer.call('probe', null).catch(() => undefined);
  }

  /** Either has an end: while senders send faster than it is settled, there is always something due, and always something new. */
  private async settleAll(scope: SettleScope, signal?: AbortSignal): Promise<void> {
    const upTo = scope === 'everything' ? { upTo: await this.writer.call('seal', null) } : {};
    while (!this.isStopped && signal?.aborted !== true) {
      // A clock that is set back would keep everything in the log for as long as it was set back by.
      const plan = await this.writer.call('plan', { scope, nowMs: performance.now(), ...upTo });
      if (plan === null) break;
      await this.book(await (await this.startSettler()).call('settle', plan));
      if (scope === 'due' && this.waiting > 0) break;
    }
  }

  private async book(settlement: Settlement): Promise<void> {
    const releasable = await this.writer.call('apply', settlement);
    this.reader.source.forget(releasable.segments, releasable.packs);
    await this.writer.call('release', releasable);
    await this.copyBack();
  }

  /** Compresses packs again while nothing else is due, nobody waits, and little comes. */
  private async useIdleTime(): Promise<void> {
    while (!this.isDue && this.waiting === 0 && !this.isStopped && this.idle.begin(performance.now())) {
      if (!(await this.compressAgain('settleIdly'))) return;
    }
  }

  /** Compresses one pack again that was made in a hurry; false where there is none, or where it gave way. */
  private async compressAgain(call: 'settle' | 'settleIdly'): Promise<boolean> {
    const nowMs = performance.now();
    for (const [pack, untilMs] of this.spared) if (untilMs <= nowMs) this.spared.delete(pack);
    const plan = await this.writer.call('planAgain', [...this.spared.keys()]);
    if (plan === null) return false;
    try {
      const settlement = await (await this.startSettler()).call(call, plan);
      if (settlement === null) return false;
      await this.book(settlement);
      return true;
    } catch (thrown) {
      for (const pack of plan.packs) this.spared.set(pack, nowMs + RECOMPRESS_RETRY_MS);
      throw thrown;
    }
  }

  /**
   * Copies the index's own log back where it has more bytes. Most of it beside the writer: copied by the writer, hundreds of megabytes hold up
   * requests for seconds. Where it fails, as on a full disk, the writer says so when it tidies.
   */
  async copyBack(bytesMax = INDEX_LOG_BYTES_BUSY): Promise<void> {
    if (indexLogBytes(this.access.dataDirectory) <= bytesMax) return;
    try {
      await (await this.startSettler()).call('copyBack', null);
      await this.writer.call('tidy', { isFull: false });
    } catch {
      // The log is only longer for it.
    }
  }

  private async startSettler(): Promise<WorkerLink<SettlerCalls>> {
    if (this.settler?.isEnded === true) this.settler = undefined;
    const data: SettlerData = { ...this.access, idleMemory: this.idle.memory };
    this.settler ??= new WorkerLink<SettlerCalls>(workerFolder, 'settle-worker', data);
    try {
      await this.settler.started();
      return this.settler;
    } catch (thrown) {
      this.settler = undefined;
      throw thrown;
    }
  }
}
