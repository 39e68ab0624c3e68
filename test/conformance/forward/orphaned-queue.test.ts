import { runStoreRequest } from '@reenact/collector';
import { afterAll, describe, expect, it } from 'vitest';
import { makeSpan, postSpans, spanIdOf, Testbed, traceIdOf } from '../testbed.ts';

const testbed = new Testbed();
afterAll(() => testbed.dispose());

// Nobody listens there, so that everything stays queued.
const GONE = { name: 'gone', url: 'http://127.0.0.1:9', content: 'full' } as const;
const STAYING = { ...GONE, name: 'staying' };
const SPANS = [1, 2, 3].map((number) => makeSpan({ spanId: spanIdOf(number) }));

interface Line {
  readonly event: string;
  readonly level: string;
  readonly next?: string;
}

/** A directory in which two destinations have a queue each. */
async function queued(): Promise<string> {
  const collector = await testbed.start({ forward: [GONE, STAYING] });
  expect((await postSpans(collector.httpUrl, SPANS)).status).toBe(200);
  const metrics = JSON.stringify({ resourceMetrics: [] });
  const headers = { 'content-type': 'application/json' };
  expect((await fetch(`${collector.httpUrl}/v1/metrics`, { method: 'POST', headers, body: metrics })).status).toBe(200);
  await collector.stop();
  return collector.dataDirectory;
}

describe('the queue of a destination that is not configured any more', () => {
  it('is told at the start, with what to do, and is deleted by name only', async () => {
    const dataDirectory = await queued();
    const lines: Line[] = [];
    const log = (line: string) => lines.push(JSON.parse(line) as Line);
    const collector = await testbed.start({ dataDirectory, forward: [STAYING] }, { log });
    expect(lines.filter(({ event }) => event === 'queue without a destination')).toMatchObject([
      { level: 'warn', destination: 'gone', queued: 4, next: expect.stringContaining('reenact store drop-queue') },
    ]);
    const drop = (destination: string) => runStoreRequest(dataDirectory, { type: 'drop-queue', destination });
    await expect(drop('staying')).rejects.toMatchObject({ code: 'bad-argument', where: 'staying' });
    await expect(drop('other')).rejects.toMatchObject({ code: 'not-found', next: expect.stringContaining('gone') });
    expect(await drop('gone')).toEqual({ deletedItems: 0, droppedEntries: 4 });
    const { orphanedQueues, forward, store } = await collector.stats();
    expect(orphanedQueues).toEqual({});
    expect(forward).toMatchObject([{ name: 'staying', queued: 4 }]);
    expect(store.spans).toBe(3);
    expect((await fetch(`${collector.httpUrl}/api/v1/recordings/${traceIdOf(1)}`)).status).toBe(200);
  });

  it('is deleted where no collector runs, and nothing is told at the next start', async () => {
    const dataDirectory = await queued();
    for (const destination of ['gone', 'staying'])
      expect(await runStoreRequest(dataDirectory, { type: 'drop-queue', destination })).toMatchObject({
        droppedEntries: 4,
      });
    const lines: string[] = [];
    const collector = await testbed.start({ dataDirectory }, { log: (line) => lines.push(line) });
    expect(lines).toEqual([]);
    await collector.stop();
  });
});
