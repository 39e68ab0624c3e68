import { afterEach, describe, expect, it } from 'vitest';
import { makeSpan, postSpans, spanIdOf, Testbed, traceIdOf } from '../testbed.ts';

const testbed = new Testbed();
afterEach(() => testbed.dispose());

describe('limits of the configuration are those of the collector:', () => {
  it('readers of a tail', async () => {
    const { httpUrl } = await testbed.start({ limits: { tailReadersMax: 1 } });
    const ending = new AbortController();
    const first = await fetch(`${httpUrl}/api/v1/tail`, { signal: ending.signal });
    const second = await fetch(`${httpUrl}/api/v1/tail`);
    expect([first.status, second.status]).toEqual([200, 503]);
    expect(await second.text()).toContain('1 readers follow runs already');
    ending.abort();
  });

  it('bytes that wait for a commit: what comes meanwhile is to be sent again', async () => {
    const { httpUrl } = await testbed.start({ limits: { commitBacklogBytesMax: 1024 } });
    const attributes = [{ key: 'large', value: { stringValue: 'x'.repeat(200_000) } }];
    const spans = Array.from({ length: 40 }, (_, index) =>
      makeSpan({ traceId: traceIdOf(index), spanId: spanIdOf(index), attributes }),
    );
    const answers = await Promise.all(spans.map((span) => postSpans(httpUrl, [span])));
    const refused = answers.filter(({ status }) => status === 503);
    expect(refused.length).toBeGreaterThan(0);
    expect(refused.every(({ headers }) => headers.has('retry-after'))).toBe(true);
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(answers.length - refused.length);
  });

  it('runs whose time is over go within the interval', async () => {
    const { httpUrl, stats } = await testbed.start({
      retention: { graceDays: 0, ordinaryDays: 0, specialDays: 0 },
      limits: { retentionIntervalMs: 20 },
    });
    expect((await postSpans(httpUrl, [makeSpan()])).status).toBe(200);
    await expect.poll(async () => (await stats()).store.spans, { timeout: 20_000 }).toBe(0);
  });

  it('no memory for readers still reads', async () => {
    const { httpUrl } = await testbed.start({ limits: { readCacheBytesMax: 0 } });
    await postSpans(httpUrl, [makeSpan()]);
    const read = async () => (await fetch(`${httpUrl}/api/v1/recordings/${traceIdOf(1)}`)).status;
    expect([await read(), await read()]).toEqual([200, 200]);
  });
});
