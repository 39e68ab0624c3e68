import fc from 'fast-check';
import { afterEach, it } from 'vitest';
import { Testbed } from '../testbed.ts';
import { CONTENTS } from './model-contents.ts';
import { type Operation, TENANTS, TRACES, Trial } from './store-trial.ts';

const RUNS = Number(process.env.RUNS ?? 15);

/** A busy machine runs as many as there is time for. */
const LIMIT_MS = 2_000 * RUNS;

const tenant = fc.constantFrom(...TENANTS);
const trace = fc.constantFrom(...TRACES);

const policy = fc.record({
  graceDays: fc.constantFrom(1, 7),
  ordinaryDays: fc.constantFrom(0, 3, 10),
  specialDays: fc.constantFrom(5, 30, 30),
  isFull: fc.constantFrom(false, false, false, true),
});

const days = fc.integer({ min: 1, max: 20 });

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
          form: fc.constantFrom('plain', 'plain', 'plain', 'slim', 'full', 'pending', 'open'),
          content: fc.nat({ max: CONTENTS - 1 }),
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
  { weight: 1, arbitrary: fc.record({ does: fc.constant('erase' as const), tenant, trace }) },
  { weight: 1, arbitrary: fc.record({ does: fc.constant('erase-tenant' as const), tenant }) },
  {
    weight: 1,
    arbitrary: fc.record({ does: fc.constant('erase-user' as const), tenant, user: fc.constantFrom('ada', 'bob') }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      does: fc.constant('keep' as const),
      tenant,
      trace,
      reason: fc.constantFrom('incident 7', 'audit', undefined),
    }),
  },
  { weight: 5, arbitrary: fc.record({ does: fc.constant('expire' as const), days, policy }) },
  {
    weight: 5,
    arbitrary: fc.record({
      does: fc.constantFrom(
        'settle',
        'settle',
        'summarise',
        'summarise',
        'summarise',
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

const testbed = new Testbed();
afterEach(() => testbed.dispose());

it('holds what was appended and not deleted, whatever happens in between', { timeout: 4 * LIMIT_MS }, async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(operation, { minLength: 8, maxLength: 25, size: 'max' }), async (operations) => {
      const trial = await Trial.begin(testbed);
      try {
        for (const one of operations) {
          await trial.perform(one);
          await trial.check();
        }
        await trial.perform({ does: 'summarise' });
        await trial.check();
        await trial.deliverAll();
      } finally {
        await trial.store.close();
        await testbed.dispose();
      }
    }),
    { numRuns: RUNS, interruptAfterTimeLimit: LIMIT_MS },
  );
});
