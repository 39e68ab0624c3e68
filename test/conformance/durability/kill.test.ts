import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { openStore } from '@reenact/collector';
import { encodeSpan, type Span } from '@reenact/otlp';
import { afterEach, describe, expect, it } from 'vitest';
import { makeSpan, postSpans, spanIdOf, Testbed, traceIdOf } from '../testbed.ts';
import { startProcess } from './start-process.ts';

/** How often the collector is killed; the heavy suites raise it. */
const ROUNDS = Number(process.env.REENACT_TEST_COLLECTOR_KILLS ?? 6);
const SENDERS = 8;

/** Sends spans one by one until the collector is gone. */
async function sendUntilKilled(
  httpUrl: string,
  nextSpan: () => Span,
  onAcknowledged: (span: Span) => void,
): Promise<void> {
  for (;;) {
    const span = nextSpan();
    try {
      const response = await postSpans(httpUrl, [span]);
      if (response.status === 200) onAcknowledged(span);
      await response.arrayBuffer();
    } catch {
      return;
    }
  }
}

/** Loads a collector until it is killed, a while after its first acknowledgement however slow the machine is. */
async function killUnderLoad(
  { child, httpUrl }: { child: ChildProcess; httpUrl: string },
  afterMs: number,
  nextSpan: () => Span,
  acknowledged: Map<string, Span>,
): Promise<void> {
  const exited = once(child, 'exit');
  let isKillDue = false;
  const onAcknowledged = (span: Span): void => {
    acknowledged.set(span.spanId, span);
    if (isKillDue) return;
    isKillDue = true;
    setTimeout(() => child.kill('SIGKILL'), afterMs);
  };
  const senders = Array.from({ length: SENDERS }, () => sendUntilKilled(httpUrl, nextSpan, onAcknowledged));
  await Promise.all([exited, ...senders]);
}

describe('a collector killed under load', () => {
  const testbed = new Testbed();
  let child: ChildProcess | undefined;
  afterEach(async () => {
    child?.kill('SIGKILL');
    await testbed.dispose();
  });

  it('has every span it acknowledged, byte for byte, and none twice', {
    timeout: 60_000 + ROUNDS * 15_000,
  }, async () => {
    const directory = await testbed.directory();
    const acknowledged = new Map<string, Span>();
    let number = 0;
    const nextSpan = () => {
      number += 1;
      const name = `span ${number} `.repeat(1 + ((number * 37) % 400));
      return makeSpan({ traceId: traceIdOf(number % 5), spanId: spanIdOf(number), name });
    };
    for (let round = 1; round <= ROUNDS; round += 1) {
      const before = acknowledged.size;
      const collector = await startProcess(directory);
      child = collector.child;
      // The kill lands at another point of the commit cycle each round.
      await killUnderLoad(collector, 150 + ((round * 97) % 200), nextSpan, acknowledged);
      expect(acknowledged.size).toBeGreaterThan(before);
    }
    const store = await openStore(directory);
    const found = new Map<string, string[]>();
    for (let trace = 0; trace < 5; trace += 1) {
      for (const { spanId, bytes, versions } of await store.readTrace('default', traceIdOf(trace))) {
        expect(versions).toBe(1);
        found.set(spanId, [...(found.get(spanId) ?? []), Buffer.from(bytes).toString('latin1')]);
      }
    }
    await store.close();
    for (const [spanId, span] of acknowledged)
      expect(found.get(spanId)).toEqual([Buffer.from(encodeSpan(span)).toString('latin1')]);
    expect(found.size).toBeGreaterThanOrEqual(acknowledged.size);
  });
});
