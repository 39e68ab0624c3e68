import fc from 'fast-check';
import { anyProgram } from '../conformance/instrumentation/program.ts';
import type { Job, MemoryUse } from '../scenarios/small/agent/service-program.ts';

const key = fc.constantFrom('a', 'b');

const ms = fc.integer({ min: 1, max: 20 });

const keyed = { key, part: anyProgram };

const use: fc.Arbitrary<MemoryUse> = fc.oneof(
  fc.record({ does: fc.constant('alone' as const), part: anyProgram }),
  fc.record({ does: fc.constantFrom('once', 'in-flight'), ...keyed }),
  fc.record({ does: fc.constant('in-turn' as const), ...keyed }),
  fc.record({ does: fc.constant('guarded' as const), ...keyed }),
  fc.record({ does: fc.constant('behind' as const), ...keyed }),
  fc.record({ does: fc.constant('cached' as const), ms, ...keyed }),
  fc.record({ does: fc.constant('gathered' as const), key, ms }),
  fc.record({ does: fc.constant('awaited' as const), key, ms }),
  fc.record({ does: fc.constantFrom('counted', 'said'), key }),
);

/** Some that come within a short time and share a memory. */
export const jobs: fc.Arbitrary<Job[]> = fc
  .array(
    fc.record({
      afterMs: fc.integer({ min: 0, max: 60 }),
      isTogether: fc.boolean(),
      uses: fc.array(use, { minLength: 1, maxLength: 3 }),
    }),
    { minLength: 2, maxLength: 5 },
  )
  .map((all) =>
    all.map(({ afterMs, ...program }, index) => ({ afterMs, program: { name: `job-${index}`, ...program } })),
  );
