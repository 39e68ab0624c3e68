import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { openStore, verifyStore } from '@reenact/collector';
import { settleHurriedly } from '@reenact/collector/testing';
import { printedBy } from '@reenact/instrumentation/testing';
import { encodeSpan, type Span } from '@reenact/otlp';
import { afterEach, describe, expect, it } from 'vitest';
import { sliceSpans } from '../store/slices.ts';
import { makeSpan, spanIdOf, Testbed, traceIdOf } from '../testbed.ts';

/** How often it is killed; the heavy suites raise it. */
const ROUNDS = Number(process.env.REENACT_TEST_COLLECTOR_KILLS ?? 6);
const RUNS_PER_ROUND = 24;
const PROGRAM = fileURLToPath(new URL('settling-process.ts', import.meta.url));

/** What all runs say, and numbers that take a compressor its time. */
function spanOf(number: number): Span {
  const own = Array.from({ length: 12_000 }, (_, index) => (number * 7919 + index) ** 2 % 99_991).join(' ');
  const name = `${'instructions that are in every run '.repeat(400)}${own}`;
  return makeSpan({ traceId: traceIdOf(number), spanId: spanIdOf(number), name });
}

/** Settles in a process of its own, which is killed so long after it began; whether that was in time. */
async function settleAndKill(directory: string, afterMs: number): Promise<boolean> {
  const child = spawn(process.execPath, [PROGRAM, directory], { stdio: ['ignore', 'pipe', 'pipe'] });
  const exited = once(child, 'exit');
  await printedBy(child, /settling/);
  setTimeout(() => child.kill('SIGKILL'), afterMs);
  const [, signal] = await exited;
  return signal === 'SIGKILL';
}

describe('a store killed while it compresses again what was compressed in a hurry', () => {
  const testbed = new Testbed();
  afterEach(() => testbed.dispose());

  it('has every span, byte for byte, and once, and is through with it after the next call', {
    timeout: 60_000 + ROUNDS * 15_000,
  }, async () => {
    const directory = await testbed.directory();
    let kills = 0;
    for (let round = 0; round < ROUNDS; round += 1) {
      const filled = await openStore(directory);
      for (let run = 0; run < RUNS_PER_ROUND; run += 1)
        await filled.appendSpans('default', sliceSpans(spanOf(round * RUNS_PER_ROUND + run)), []);
      await filled.close();
      settleHurriedly(directory);
      // At another point each round, from the first file that is read to the last that is removed.
      if (await settleAndKill(directory, 1 + ((round * 67) % 400))) kills += 1;
    }
    expect(kills).toBeGreaterThan(0);
    const store = await openStore(directory);
    for (let number = 0; number < ROUNDS * RUNS_PER_ROUND; number += 1) {
      const found = await store.readTrace('default', traceIdOf(number));
      const expected = Buffer.from(encodeSpan(spanOf(number)));
      expect(found.map(({ bytes, versions }) => [versions, expected.equals(bytes)])).toEqual([[1, true]]);
    }
    await store.settle();
    expect((await store.stats()).hurriedPacks).toBe(0);
    await store.close();
    expect(verifyStore(directory).problems).toEqual([]);
  });
});
