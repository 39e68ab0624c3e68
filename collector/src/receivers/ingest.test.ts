import { expect, it } from 'vitest';
import { createCounters } from '../counters.ts';
import { createLog } from '../logging/log.ts';
import { Refusals } from '../refusals.ts';
import type { Store } from '../store/store.ts';
import { Latency } from '../telemetry/latency.ts';
import { createIngest } from './ingest.ts';

const ITEMS = 200_000;

const counters = createCounters();
const ingest = createIngest({
  // Nothing of these requests comes to it.
  store: undefined as unknown as Store,
  counters,
  refusals: new Refusals(
    counters,
    createLog('silent', () => undefined),
  ),
  destinations: [],
  collectorId: 'one',
  acknowledged: new Latency(),
  onStored: () => undefined,
});

it.each([
  ['traces', 'resourceSpans', 'scopeSpans', 'spans'],
  ['logs', 'resourceLogs', 'scopeLogs', 'logRecords'],
] as const)(
  'lets others have their turn between the items of one request of %s',
  { timeout: 60_000 },
  async (signal, groups, scopes, items) => {
    const bad = Array.from({ length: ITEMS }, () => '{"traceId":"zz"}').join(',');
    const body = Buffer.from(`{"${groups}":[{"${scopes}":[{"${items}":[${bad}]}]}]}`);
    let isDone = false;
    const answer = ingest({ tenant: 'default', signal, format: 'json', body, passed: [] }).finally(() => {
      isDone = true;
    });
    let turns = 0;
    while (!isDone) {
      await new Promise((resolve) => setImmediate(resolve));
      turns += 1;
    }
    expect((await answer).rejected).toBe(ITEMS);
    expect(turns).toBeGreaterThan(3);
  },
);
