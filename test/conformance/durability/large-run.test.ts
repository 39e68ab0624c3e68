import { createCollectorClient } from '@reenact/collector-client';
import type { Span } from '@reenact/otlp';
import { digestOf } from '@reenact/trace-model';
import { afterEach, describe, expect, it } from 'vitest';
import { eventually, makeSpan, postSpans, spanIdOf, Testbed, textAttributes, traceIdOf } from '../testbed.ts';
import { startProcess } from './start-process.ts';

const MIB = 1024 * 1024;
const SPANS = 100;
/** Of many small members: what such a text amounts to when it is read is several times as large. */
const ROWS = JSON.stringify(Array.from({ length: 25_000 }, (_, id) => ({ id, price: id / 7, isOpen: true })));

const testbed = new Testbed();
afterEach(() => testbed.dispose());

function payload(key: string, data: string): Record<string, string> {
  return { [key]: data, [`${key}.format`]: 'json', [`${key}.digest`]: digestOf(data) };
}

function crossing(number: number, members: Partial<Span>, facts: Record<string, string>): Span {
  const own = { 'reenact.schema': '1', 'reenact.call': 'promise', 'reenact.outcome': 'returned', ...facts };
  return makeSpan({ spanId: spanIdOf(number), ...members, attributes: textAttributes(own) });
}

function lookUp(number: number): Span {
  const output = `{"rows":${ROWS},"number":${number}}`;
  return crossing(
    number,
    { parentSpanId: spanIdOf(1) },
    {
      'reenact.boundary': 'tool',
      'reenact.name': 'look_up',
      'reenact.parent': spanIdOf(1),
      ...payload('reenact.input', `[${number}]`),
      ...payload('reenact.output', output),
    },
  );
}

describe('a run that is larger than the memory there is', () => {
  it('is summarised like every other', { timeout: 180_000 }, async () => {
    const { child, httpUrl } = await startProcess(await testbed.directory(), ['--max-old-space-size=72'], {
      memoryBytesMax: 256 * MIB,
    });
    try {
      for (let number = 2; number <= SPANS; number += 1) {
        expect((await postSpans(httpUrl, [lookUp(number)])).status).toBe(200);
      }
      const root = { 'reenact.boundary': 'agent', 'reenact.name': 'clerk', ...payload('reenact.input', '["zebra"]') };
      const answer = await postSpans(httpUrl, [
        crossing(1, { startTimeUnixNano: '1763700000000000000' }, { ...root, ...payload('reenact.output', '1') }),
      ]);
      expect(answer.status).toBe(200);
      const client = createCollectorClient({ url: httpUrl });
      const found = await eventually(
        'the summary of the whole run',
        async () => {
          // Gone where its memory did not do.
          expect(child.exitCode).toBe(null);
          expect(child.signalCode).toBe(null);
          const { runs, unsummarisedRuns = 0 } = await client.listRuns({ text: 'zebra' });
          return unsummarisedRuns === 0 && runs.find(({ spanCount }) => spanCount === SPANS);
        },
        120_000,
      );
      expect(found).toMatchObject({ traceId: traceIdOf(1), name: 'agent:clerk', crossingCount: SPANS });
      expect(found.replayability).toEqual({ verdict: 'full', missing: [] });
    } finally {
      child.kill('SIGKILL');
    }
  });
});
