import type { RunningCollector } from '@reenact/collector';
import { createCollectorClient } from '@reenact/collector-client';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Testbed, traceIdOf } from '../testbed.ts';
import { crossingSpan, send } from './run-corpus.ts';

const testbed = new Testbed();
let collector: RunningCollector;
beforeAll(async () => {
  collector = await testbed.start();
  await send(collector.httpUrl, [crossingSpan({ trace: 1, span: 1 })]);
  await send(collector.httpUrl, [crossingSpan({ trace: 2, span: 2 })]);
});
afterAll(() => testbed.dispose());

describe('the cursor of a list of runs', () => {
  it('is refused with other filters than it was given out for, and taken with another number of runs', async () => {
    const { nextCursor } = await createCollectorClient({ url: collector.httpUrl }).listRuns({ limit: 1 });
    const ask = (query: string) => fetch(`${collector.httpUrl}/api/v1/runs?${query}`);
    const refused = await ask(`status=ok&limit=1&cursor=${nextCursor}`);
    expect(refused.status).toBe(400);
    expect(await refused.json()).toEqual({
      error: {
        code: 'bad-request',
        message: 'The cursor was given out for other filters.',
        next: expect.stringContaining('same filters'),
      },
    });
    expect((await ask(`limit=5&complete=true&cursor=${nextCursor}`)).status).toBe(200);
  });

  it('of an earlier version is refused, saying that the list is to be begun again', async () => {
    const cursor = Buffer.from(`1763700000000000001.${traceIdOf(1)}`).toString('base64url');
    const refused = await fetch(`${collector.httpUrl}/api/v1/runs?cursor=${cursor}`);
    expect(refused.status).toBe(400);
    expect(await refused.json()).toMatchObject({ error: { message: expect.stringContaining('earlier version') } });
  });
});
