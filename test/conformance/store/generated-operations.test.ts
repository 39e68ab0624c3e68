import { cp, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { openStore, type Store, verifyStore } from '@reenact/collector';
import fc from 'fast-check';
import { afterEach, expect, it } from 'vitest';
import { Testbed, traceIdOf } from '../testbed.ts';
import { sliceLogs, sliceSpans } from './slices.ts';
import { type LogVersion, logOf, type SpanVersion, StoreModel, spanOf } from './store-model.ts';

const RUNS = Number(process.env.RUNS ?? 15);

/** A busy machine runs as many as there is time for. */
const LIMIT_MS = 2_000 * RUNS;

const TENANTS = ['default', 'other'] as const;
const TRACES = [1, 2, 3];

const DESTINATION = 'jaeger';

type Operation =
  | { readonly does: 'spans'; readonly tenant: string; readonly versions: readonly SpanVersion[] }
  | { readonly does: 'logs'; readonly tenant: string; readonly versions: readonly LogVersion[] }
  | { readonly does: 'erase'; readonly tenant: string; readonly trace: number }
  | { readonly does: 'erase-tenant'; readonly tenant: string }
  | { readonly does: 'settle' | 'deliver' | 'reopen' | 'crash' | 'lose-index' | 'restore' | 'verify' };

const tenant = fc.constantFrom(...TENANTS);
const trace = fc.constantFrom(...TRACES);

const operation: fc.Arbitrary<Operation> = fc.oneof(
  {
    weight: 8,
    arbitrary: fc.record({
      does: fc.constant('spans' as const),
      tenant,
      versions: fc.array(
        fc.record({
          trace,
          span: fc.integer({ min: 1, max: 4 }),
          form: fc.constantFrom('plain', 'slim', 'full', 'pending', 'open'),
          name: fc.constantFrom('first', 'second'),
        }),
        { minLength: 1, maxLength: 5 },
      ),
    }),
  },
  {
    weight: 3,
    arbitrary: fc.record({
      does: fc.constant('logs' as const),
      tenant,
      versions: fc.array(
        fc.record({ trace, timeNs: fc.integer({ min: 1, max: 3 }), body: fc.constantFrom('said', 'heard') }),
        { minLength: 1, maxLength: 3 },
      ),
    }),
  },
  { weight: 2, arbitrary: fc.record({ does: fc.constant('erase' as const), tenant, trace }) },
  { weight: 1, arbitrary: fc.record({ does: fc.constant('erase-tenant' as const), tenant }) },
  {
    weight: 5,
    arbitrary: fc.record({
      does: fc.constantFrom(
        'settle',
        'settle',
        'deliver',
        'deliver',
        'reopen',
        'crash',
        'lose-index',
        'restore',
        'verify',
      ),
    }),
  },
);

/** A store and what it is to hold. */
class Trial {
  private readonly testbed: Testbed;
  private readonly model = new StoreModel();
  private directory: string;
  /** An index that is made again queues what was delivered, too. */
  private isQueueKnown = true;
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
      case 'erase': {
        const erased = await this.store.erase([[operation.tenant, traceIdOf(operation.trace)]]);
        expect(erased).toBe(this.model.forget(operation.tenant, operation.trace));
        return;
      }
      case 'erase-tenant':
        expect(await this.store.eraseTenant(operation.tenant)).toBe(this.model.forget(operation.tenant));
        return;
      case 'settle':
        return this.store.settle();
      case 'deliver':
        await this.deliver();
        return;
      default:
        return this.goOn(operation.does);
    }
  }

  /** Goes on with the store opened again, after something has happened to it. */
  private async goOn(does: 'reopen' | 'crash' | 'lose-index' | 'restore' | 'verify'): Promise<void> {
    const { directory } = this;
    if (does === 'crash' || does === 'restore') this.directory = join(await this.testbed.directory(), 'data');
    // What is copied while the store is open is what a process would find whose predecessor was killed.
    if (does === 'crash') await cp(directory, this.directory, { recursive: true });
    if (does === 'restore') await this.store.backup(this.directory);
    await this.store.close();
    if (does === 'lose-index') this.isQueueKnown = false;
    if (does === 'lose-index')
      for (const end of ['', '-wal', '-shm']) await rm(join(directory, `index.sqlite${end}`), { force: true });
    if (does === 'verify') expect(verifyStore(this.directory).problems).toEqual([]);
    this.store = await openStore(this.directory);
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
  }
}

const testbed = new Testbed();
afterEach(() => testbed.dispose());

it('holds what was appended and not deleted, whatever happens in between', { timeout: 4 * LIMIT_MS }, async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(operation, { minLength: 4, maxLength: 25 }), async (operations) => {
      const trial = await Trial.begin(testbed);
      try {
        for (const one of operations) {
          await trial.perform(one);
          await trial.check();
        }
        await trial.deliverAll();
      } finally {
        await trial.store.close();
        await testbed.dispose();
      }
    }),
    { numRuns: RUNS, interruptAfterTimeLimit: LIMIT_MS },
  );
});
