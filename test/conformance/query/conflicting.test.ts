import { createCollectorClient } from '@reenact/collector-client';
import type { Span } from '@reenact/otlp';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { FULL } from '../store/version-cases.ts';
import { eventually, makeSpan, postSpans, spanIdOf, Testbed, traceIdOf, wrapSpans } from '../testbed.ts';

const testbed = new Testbed();
let httpUrl: string;
beforeAll(async () => {
  ({ httpUrl } = await testbed.start());
});
afterAll(() => testbed.dispose());

function crossing(run: number, name = 'work'): Span {
  const events = [{ name: 'checkpoint', timeUnixNano: '1763700000000000002', attributes: [] }];
  return makeSpan({ traceId: traceIdOf(run), spanId: spanIdOf(run), name, attributes: FULL, events });
}

async function postJson(span: Span): Promise<void> {
  const body = JSON.stringify(wrapSpans([span]), null, 2);
  const headers = { 'content-type': 'application/json' };
  expect((await fetch(`${httpUrl}/v1/traces`, { method: 'POST', headers, body })).status).toBe(200);
}

/** How many spans of a run are told in two ways. */
async function conflictsOf(run: number): Promise<number> {
  const client = createCollectorClient({ url: httpUrl });
  const { runs } = await client.listRuns({ trace: traceIdOf(run) });
  return runs[0]?.conflictingSpans ?? 0;
}

describe('a crossing that comes in two encodings', () => {
  it('does not contradict itself where both say the same', async () => {
    await postJson(crossing(1));
    await postSpans(httpUrl, [crossing(1)]);
    expect(await conflictsOf(1)).toBe(0);
  });

  it('does where they do not', async () => {
    await postJson(crossing(2));
    await postSpans(httpUrl, [crossing(2, 'other work')]);
    expect(await conflictsOf(2)).toBe(1);
  });

  it('does as a span of another SDK, too, unless both say the same', async () => {
    for (const run of [4, 5]) await postJson({ ...crossing(run), attributes: [] });
    await postSpans(httpUrl, [
      { ...crossing(4), attributes: [] },
      { ...crossing(5, 'other work'), attributes: [] },
    ]);
    expect([await conflictsOf(4), await conflictsOf(5)]).toEqual([0, 1]);
  });

  it('does not where it comes back from a collector that sends on', async () => {
    const far = await testbed.start();
    const forward = [{ name: 'far', url: far.httpUrl, content: 'full' as const }];
    const near = await testbed.start({ forward });
    const headers = { 'content-type': 'application/json' };
    const body = JSON.stringify(wrapSpans([crossing(3)]));
    for (const url of [far.httpUrl, near.httpUrl]) await fetch(`${url}/v1/traces`, { method: 'POST', headers, body });
    const client = createCollectorClient({ url: far.httpUrl });
    await eventually('the copy', async () => (await far.stats()).received.versions === 1);
    expect((await client.listRuns()).runs[0]?.conflictingSpans ?? 0).toBe(0);
  });
});
