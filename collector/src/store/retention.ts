import { statSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { isReenactError, ReenactError } from '@reenact/trace-model/reenact-error';
import { INDEX_FILE } from './database/schema.ts';
import { giveUpSpare, keepSpare } from './disk-spare.ts';
import { EXPIRE_ITEMS_PER_STEP, EXPIRE_TRACES_PER_STEP } from './limits.ts';
import type { Maintenance } from './maintenance.ts';
import { SEARCH_FILE } from './search/open-search-file.ts';
import { SharedPasses } from './shared-passes.ts';
import type { FoundLogs, RetentionAges, RetentionPolicy, TraceName } from './store.ts';
import { isFullDisk } from './store-error.ts';
import { directoryBytes, type StoreReader } from './store-reader.ts';
import type { TextKeeper } from './text-keeper.ts';
import type { WriterCalls, WriterLink } from './worker/calls.ts';
import type { EraseRequest } from './worker/control-frame.ts';

/** Above it half is given up before it is measured again: runs differ in what they have beside their packs, and none may go that need not. */
const SMALL_EXCESS_BYTES = 8 * 1024 * 1024;

/** How long others are waited for that read an older state of a database, which then cannot be blanked. */
const READERS_WAIT_MS = 200;
const READERS_TRIES_MAX = 50;

/** What goes at one time; nothing behind the last. */
type ErasedStep = Pick<EraseRequest, 'traces' | 'records'> | undefined;

/** Told of traces as soon as nobody finds them any more. */
export type TellErased = (traces: readonly TraceName[]) => void;

interface Parts {
  readonly writer: WriterLink;
  readonly reader: StoreReader;
  readonly texts: TextKeeper;
  readonly onErased?: TellErased | undefined;
}

/** Deletes what somebody asks to be gone, and what a policy no longer keeps. */
export class Retention {
  private readonly writer: WriterLink;
  private readonly reader: StoreReader;
  private readonly texts: TextKeeper;
  private readonly onErased: TellErased | undefined;
  private readonly maintenance: Maintenance;
  private readonly dataDirectory: string;
  private readonly passes = new SharedPasses((traces, signal) => this.offTheDisk(traces, signal));

  constructor({ writer, reader, texts, onErased }: Parts, maintenance: Maintenance, dataDirectory: string) {
    this.writer = writer;
    this.reader = reader;
    this.texts = texts;
    this.onErased = onErased;
    this.maintenance = maintenance;
    this.dataDirectory = dataDirectory;
  }

  /** Resolves when the bytes of these traces have left the log, the packs and the index. */
  async erase(traces: readonly TraceName[], signal?: AbortSignal): Promise<number> {
    let from = 0;
    return this.eraseAndSettle(signal, async () => {
      const step = from < traces.length ? await this.nextOf(traces, from) : [];
      from += step.length;
      return step.length === 0 ? undefined : { traces: step };
    });
  }

  /** The same of log records that name no trace. */
  eraseRecords(records: FoundLogs['records'], signal?: AbortSignal): Promise<number> {
    let from = 0;
    return this.eraseAndSettle(signal, async () => {
      const step = records.slice(from, from + EXPIRE_ITEMS_PER_STEP);
      from += step.length;
      return step.length === 0 ? undefined : { traces: [], records: step };
    });
  }

  eraseTenant(tenant: string, signal?: AbortSignal): Promise<number> {
    return this.eraseAndSettle(signal, async () => {
      const traces = await this.writer.call('ofTenant', tenant);
      return traces.length === 0 ? undefined : { traces };
    });
  }

  private nextOf(traces: readonly TraceName[], from: number): Promise<readonly TraceName[]> {
    return this.writer.call('inOneStep', traces.slice(from, from + EXPIRE_TRACES_PER_STEP));
  }

  /** First out of what is found, then off the disk: what a deletion that was broken off has left goes with the next, so all of it is settled in any case. */
  private async eraseAndSettle(signal: AbortSignal | undefined, next: () => Promise<ErasedStep>): Promise<number> {
    const others = new Set(this.texts.toForget());
    let items = 0;
    await this.withRoom(() => this.writer.call('scrubLater', null));
    for (let step = await next(); step !== undefined && signal?.aborted !== true; step = await next()) {
      const what = step;
      items += await this.withRoom(() => this.takeOut(what, true));
      await this.withRoom(() => this.tidy());
    }
    const own = this.texts.toForget().filter((trace) => !others.has(trace));
    if (signal?.aborted !== true) await this.passes.join(own, signal);
    if (signal?.aborted === true) throw brokenOff();
    return items;
  }

  private offTheDisk(traces: readonly number[], signal: AbortSignal): Promise<void> {
    return this.withRoom(async () => {
      await this.texts.forget(traces, signal);
      if (!signal.aborted) await this.removeErased(signal);
    }, signal);
  }

  /** Does what deletes runs, and once more where the disk was full, behind all that makes room: settling, and copying the index's own log back. */
  private async withRoom<Result>(act: () => Promise<Result>, signal?: AbortSignal): Promise<Result> {
    try {
      return await act();
    } catch (thrown) {
      if (!isFullDisk(thrown) || signal?.aborted === true) throw thrown;
      await this.writer.call('giveUpRoom', null);
      await this.reclaim();
      await this.maintenance.settle('everything', signal);
      await this.reclaim();
      return await act();
    }
  }

  /** Has what is found no more leave the disk. Told to end, it does so behind the step in work. */
  async removeErased(signal?: AbortSignal): Promise<void> {
    await this.maintenance.settle('everything', signal);
    // On a full disk the room stays in the index, which uses it for what comes.
    if (signal?.aborted !== true) await this.reclaim().catch(() => undefined);
    if (signal?.aborted !== true) await this.scrub(signal);
  }

  /** In steps between which requests are received. */
  private scrub(signal?: AbortSignal): Promise<void> {
    return this.maintenance.hold(async () => {
      await blankAll((end) => this.texts.scrub(end), signal);
      await blankAll((end) => this.writer.call('scrub', { end }), signal);
    });
  }

  /** By time first, then by size: what the grace window covers stays even where that is more than the size allows. */
  async expire(policy: RetentionPolicy, nowMs: number): Promise<number> {
    const { graceMs, ordinaryMs, specialMs, ages = () => ({ nowMs, corrections: [] }) } = policy;
    const times = { graceMs, ordinaryMs, specialMs };
    const isStopped = () => policy.signal?.aborted === true;
    let gone = await this.eraseAll(async () => (isStopped() ? [] : this.expired({ nowMs, ages: ages(), times })));
    await this.texts.forget(undefined, policy.signal);
    let excess = 0;
    while (!isStopped()) {
      excess = await this.excess(policy);
      const step = excess > 0 ? await this.giveUp(policy, ages, excess) : 0;
      if (step === 0) break;
      gone += step;
    }
    // What has come since is not what could not go.
    if (!isStopped()) policy.onExcess?.(excess);
    if (gone > 0) this.maintenance.noteDeleted();
    if (!isStopped() && (await this.writer.call('eraseExpired', { nowMs }))) {
      this.maintenance.wake();
      await this.scrub(policy.signal);
    }
    await keepSpare(this.dataDirectory);
    return gone;
  }

  /** Some runs whose time is over. Where nothing is left of the disk to delete them with, the spare is given up for it. */
  private async expired(ask: WriterCalls['expired']['ask']): Promise<readonly TraceName[]> {
    const traces = await this.writer.call('expired', ask);
    if (traces.length > 0) giveUpSpare(this.dataDirectory);
    return traces;
  }

  /** Deletes runs with about so many bytes, in steps; what they have is given back at once, behind the last. */
  private async giveUp(policy: RetentionPolicy, ages: () => RetentionAges, bytes: number): Promise<number> {
    const { graceMs, onKeptGone } = policy;
    let gone = 0;
    const part = bytes > SMALL_EXCESS_BYTES ? bytes / 2 : bytes;
    for (
      let left = Math.max(1, part * packShareOf(this.dataDirectory));
      left > 0 && policy.signal?.aborted !== true;
    ) {
      const found = await this.writer.call('oldest', { ages: ages(), graceMs, bytes: left });
      if (found.traces.length === 0) break;
      await this.eraseStep(found.traces, true);
      for (const run of found.kept) onKeptGone?.(run);
      gone += found.traces.length;
      left -= Math.max(1, found.bytes);
    }
    await this.texts.forget(undefined, policy.signal);
    return gone;
  }

  /** By how much the directory is too large, once everything is given back that costs no run: what settles becomes many times smaller. */
  private async excess({ bytesMax, signal }: RetentionPolicy): Promise<number> {
    if (this.excessOver(bytesMax) <= 0) return 0;
    giveUpSpare(this.dataDirectory);
    // Before, too: the log would else go on in a file that was kept to be written again, of full length.
    await this.reclaim(signal);
    await this.maintenance.settle('everything', signal);
    await this.reclaim(signal);
    // What has not settled would count as sent: more runs would go than have to.
    if (signal?.aborted === true) return 0;
    if (this.excessOver(bytesMax) > 0) {
      // A pack that cannot be compressed again keeps nothing else from going.
      await this.maintenance.compressAllAgain(signal).catch(() => undefined);
      await this.reclaim(signal);
    }
    if (this.excessOver(bytesMax) > 0) await this.texts.compact(signal);
    return this.excessOver(bytesMax);
  }

  private excessOver(bytesMax: number): number {
    return directoryBytes(this.dataDirectory) - bytesMax;
  }

  /** Never beside a backup: what reads the index for long would have the writer wait for it. */
  private async reclaim(signal?: AbortSignal): Promise<void> {
    const step = () => this.maintenance.hold(() => this.writer.call('reclaim', null));
    let free = Number.POSITIVE_INFINITY;
    for (let left = await step(); left < free && signal?.aborted !== true; left = await step()) free = left;
  }

  private async eraseAll(next: () => Promise<readonly TraceName[]>): Promise<number> {
    let gone = 0;
    for (;;) {
      const traces = await next();
      if (traces.length === 0) return gone;
      await this.eraseStep(traces, false);
      gone += traces.length;
    }
  }

  private async eraseStep(traces: readonly TraceName[], isUrgent: boolean): Promise<void> {
    await this.takeOut({ traces }, isUrgent);
    await this.tidy();
  }

  /** Gives how many items went: of what has gone once, the next call finds none. */
  private async takeOut(step: NonNullable<ErasedStep>, isUrgent: boolean): Promise<number> {
    const { items } = await this.writer.call('control', { type: 'erase', ...step, isUrgent });
    this.reader.source.forget([], []);
    this.onErased?.(step.traces);
    return items;
  }

  /** Each step writes megabytes to the index's own log, which would grow by every run that goes, until the disk is full. */
  private async tidy(): Promise<void> {
    await this.maintenance.copyBack();
    await this.writer.call('tidy', { isFull: false });
  }
}

/** Of all that runs have, how much is in packs: with the words of long conversations the search file is several times larger. */
export function packShareOf(dataDirectory: string): number {
  const packBytes = directoryBytes(join(dataDirectory, 'packs'));
  const databases = [INDEX_FILE, SEARCH_FILE].map((name) =>
    statSync(join(dataDirectory, name), { throwIfNoEntry: false }),
  );
  const besideBytes = databases.reduce((sum, stats) => sum + (stats?.size ?? 0), 0);
  return packBytes / Math.max(1, packBytes + besideBytes);
}

/** From the end of a file to its start. Who reads an older state has mostly done so in a moment. */
async function blankAll(step: (end: number) => Promise<number>, signal: AbortSignal | undefined): Promise<void> {
  let tries = 0;
  for (let end: number | undefined; end !== 0 && signal?.aborted !== true; ) {
    try {
      end = await step(end ?? 0);
      tries = 0;
    } catch (thrown) {
      tries += 1;
      if (!isReenactError(thrown) || thrown.code !== 'store-busy' || tries >= READERS_TRIES_MAX) throw thrown;
      await setTimeout(READERS_WAIT_MS);
    }
  }
}

function brokenOff(): ReenactError {
  return new ReenactError('store-failed', 'The deletion was broken off: the store is closed.', {
    next: 'Delete again; the rest goes then.',
    retryable: true,
  });
}
