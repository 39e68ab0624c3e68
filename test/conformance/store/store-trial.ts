import { cp, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { openStore, type RetentionPolicy, type Store, verifyStore } from '@reenact/collector';
import { summariseTraces } from '@reenact/collector/testing';
import { expect } from 'vitest';
import { type Testbed, traceIdOf } from '../testbed.ts';
import { checkAnswers } from './expected-answers.ts';
import { sliceLogs, sliceSpans } from './slices.ts';
import { type LogVersion, logOf, type ModelPolicy, type SpanVersion, StoreModel, spanOf } from './store-model.ts';

/** Who sends. */
export const TENANTS = ['default', 'other'] as const;

/** What they send spans of. */
export const TRACES = [1, 2, 3];

const DESTINATION = 'jaeger';

const DAY_MS = 86_400_000;

/** A limit that no test takes so long as to come near to. */
const HALF_A_DAY = 0.5;

/** What happens to a store. */
export type Operation =
  | { readonly does: 'spans'; readonly tenant: string; readonly versions: readonly SpanVersion[] }
  | { readonly does: 'logs'; readonly tenant: string; readonly versions: readonly LogVersion[] }
  | { readonly does: 'erase'; readonly tenant: string; readonly trace: number }
  | { readonly does: 'erase-user'; readonly tenant: string; readonly user: string }
  | { readonly does: 'keep'; readonly tenant: string; readonly trace: number; readonly reason: string | undefined }
  | { readonly does: 'erase-tenant'; readonly tenant: string }
  | { readonly does: 'expire'; readonly days: number; readonly policy: ModelPolicy }
  | {
      readonly does: 'settle' | 'deliver' | 'summarise' | 'reopen' | 'crash' | 'lose-index' | 'restore' | 'verify';
    };

/** When how many days had passed, by the clock of the machine, which nobody can set here. */
interface Epoch {
  readonly fromMs: number;
  readonly day: number;
}

/** A store and what it is to hold. */
export class Trial {
  private readonly testbed: Testbed;
  private readonly model = new StoreModel();
  private directory: string;
  /** An index that is made again queues what was delivered, too. */
  private isQueueKnown = true;
  private readonly epochs: Epoch[] = [{ fromMs: 0, day: 0 }];
  store: Store;

  static async begin(testbed: Testbed): Promise<Trial> {
    const directory = await testbed.directory();
    return new Trial(testbed, directory, await openStore(directory));
  }

  private constructor(testbed: Testbed, directory: string, store: Store) {
    this.testbed = testbed;
    this.directory = directory;
    this.store = store;
  }

  async perform(operation: Operation): Promise<void> {
    switch (operation.does) {
      case 'spans':
        return this.appendSpans(operation.tenant, operation.versions);
      case 'logs':
        return this.appendLogs(operation.tenant, operation.versions);
      case 'erase':
      case 'erase-user':
      case 'erase-tenant':
        return this.erase(operation);
      case 'keep':
        this.model.keep(operation.tenant, operation.trace, operation.reason);
        return this.store.keepRun(operation.tenant, traceIdOf(operation.trace), operation.reason);
      case 'expire':
        this.pass(operation.days);
        return this.expire(operation.policy);
      case 'settle':
        return this.store.settle();
      case 'summarise':
        return this.summarise();
      case 'deliver':
        await this.deliver();
        return;
      default:
        return this.goOn(operation.does);
    }
  }

  private async erase(operation: Extract<Operation, { readonly does: `erase${string}` }>): Promise<void> {
    const { tenant } = operation;
    switch (operation.does) {
      case 'erase': {
        const erased = await this.store.erase([[tenant, traceIdOf(operation.trace)]]);
        expect(erased).toBe(this.model.forget(tenant, operation.trace));
        return;
      }
      case 'erase-user': {
        // Who is a user's is told by summaries.
        await this.summarise();
        const erased = await this.store.eraseUser(tenant, operation.user);
        expect(erased).toBe(this.model.forgetUser(tenant, operation.user));
        return;
      }
      case 'erase-tenant':
        expect(await this.store.eraseTenant(tenant)).toBe(this.model.forget(tenant));
    }
  }

  /** What comes from now on comes days later. */
  private pass(days: number): void {
    this.model.day += days;
    const last = Date.now();
    while (Date.now() === last);
    this.epochs.push({ fromMs: Date.now(), day: this.model.day });
  }

  private async expire(policy: ModelPolicy): Promise<void> {
    const keptGone: string[] = [];
    const { day } = this.model;
    const corrections = this.epochs.map(({ fromMs, day: of }, index) => {
      return {
        fromMs,
        toMs: (this.epochs[index + 1]?.fromMs ?? Number.MAX_SAFE_INTEGER) - 1,
        byMs: (of - day) * DAY_MS,
      };
    });
    const whole: RetentionPolicy = {
      graceMs: (policy.graceDays + HALF_A_DAY) * DAY_MS,
      ordinaryMs: (policy.ordinaryDays + HALF_A_DAY) * DAY_MS,
      specialMs: (policy.specialDays + HALF_A_DAY) * DAY_MS,
      bytesMax: policy.isFull ? 0 : Number.POSITIVE_INFINITY,
      ages: () => ({ nowMs: Date.now(), corrections }),
      onKeptGone: ({ reason }) => keptGone.push(reason),
    };
    const gone = await this.store.expire(whole, Date.now() + day * DAY_MS);
    const expected = this.model.expire(policy);
    expect({ gone, kept: keptGone.sort() }).toEqual({ gone: expected.gone, kept: expected.kept.toSorted() });
  }

  private async summarise(): Promise<void> {
    for (let stale = await this.store.staleTraces(10); stale.length > 0; stale = await this.store.staleTraces(10)) {
      await this.store.writeSummaries(await summariseTraces(this.store.threadAccess, stale));
    }
    this.model.summarised();
  }

  /** Goes on with the store opened again, after something has happened to it. */
  private async goOn(does: 'reopen' | 'crash' | 'lose-index' | 'restore' | 'verify'): Promise<void> {
    const { directory } = this;
    if (does === 'crash' || does === 'restore') this.directory = join(await this.testbed.directory(), 'data');
    // What is copied while the store is open is what a process would find whose predecessor was killed.
    if (does === 'crash') await cp(directory, this.directory, { recursive: true });
    if (does === 'restore') await this.store.backup(this.directory);
    await this.store.close();
    if (does === 'lose-index') {
      this.isQueueKnown = false;
      this.model.loseSummaries();
      for (const end of ['', '-wal', '-shm']) await rm(join(directory, `index.sqlite${end}`), { force: true });
    }
    if (does === 'verify') this.verify();
    this.store = await openStore(this.directory);
  }

  /** Of the clock by which a collector thins out, a store that is told the time has no file. */
  private verify(): void {
    const { problems } = verifyStore(this.directory);
    expect(problems.filter(({ where }) => where !== join(this.directory, 'retention.json'))).toEqual([]);
  }

  private async appendSpans(tenant: string, versions: readonly SpanVersion[]): Promise<void> {
    const isNew = versions.map((version) => this.model.addSpan(tenant, version));
    const { stored, deduplicated } = await this.store.appendSpans(tenant, sliceSpans(...versions.map(spanOf)), [
      DESTINATION,
    ]);
    const added = isNew.filter(Boolean).length;
    expect({ stored, deduplicated }).toEqual({ stored: added, deduplicated: isNew.length - added });
  }

  private async appendLogs(tenant: string, versions: readonly LogVersion[]): Promise<void> {
    const isNew = versions.map((version) => this.model.addLog(tenant, version));
    const { stored, deduplicated } = await this.store.appendLogs(tenant, sliceLogs(...versions.map(logOf)), [
      DESTINATION,
    ]);
    const added = isNew.filter(Boolean).length;
    expect({ stored, deduplicated }).toEqual({ stored: added, deduplicated: isNew.length - added });
  }

  /** Some of what waits longest; whether anything did. */
  private async deliver(): Promise<boolean> {
    const batch = await this.store.peekQueue(DESTINATION, 3, 1_000_000);
    if (batch === undefined) return false;
    const items = batch.entries.flatMap(({ item }) => item ?? []);
    if (this.isQueueKnown) this.model.delivered(items);
    else this.model.deliveredAgain(items);
    await this.store.settleQueue(batch.entries.map(({ queueId }) => queueId));
    return true;
  }

  /** Whatever was lost in between, all that waits comes, and then nothing waits. */
  async deliverAll(): Promise<void> {
    while (await this.deliver());
    await this.model.checkQueue(this.store, DESTINATION);
  }

  async check(): Promise<void> {
    await this.model.check(this.store, TENANTS, TRACES);
    if (this.isQueueKnown) await this.model.checkQueue(this.store, DESTINATION);
    if (!this.model.isSummarised) return;
    for (const tenant of TENANTS) await checkAnswers(this.store, this.model, tenant);
  }
}
