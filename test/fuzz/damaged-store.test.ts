import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openStore, type Store, type VerifyReport, verifyStore } from '@reenact/collector';
import { encodeSpan } from '@reenact/otlp';
import { isReenactError } from '@reenact/trace-model';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { sliceSpans } from '../bench/agent-conversations.ts';
import { makeSpan, spanIdOf, textAttributes, traceIdOf } from '../conformance/testbed.ts';
import { type Dice, diceOf } from './mutate.ts';

/** Damaged copies of a store that are opened. Raised by the heavy suite. */
const ROUNDS = Number(process.env.REENACT_TEST_DAMAGED_STORES ?? 12);

const TRACES = 5;
const REQUESTS = 40;
const SPANS_PER_REQUEST = 3;
const TENANT = 'default';

function spanOf(number: number) {
  const content = `content of ${number} `.repeat(1 + ((number * 31) % 200));
  return makeSpan({
    traceId: traceIdOf(number % TRACES),
    spanId: spanIdOf(number),
    attributes: textAttributes({ content }),
  });
}

/** Appends requests, and settles half of them, so that there are packs as well as a log. */
async function fill(store: Store): Promise<void> {
  for (let request = 0; request < REQUESTS; request += 1) {
    const numbers = Array.from({ length: SPANS_PER_REQUEST }, (_, index) => request * SPANS_PER_REQUEST + index);
    await store.appendSpans(TENANT, sliceSpans('fuzz', numbers.map(spanOf)), []);
    if (request === REQUESTS / 2) await store.settle();
  }
}

/** Span ids that can be read, each byte for byte as it was stored; throws where one is not. */
async function readBack(directory: string): Promise<Set<string>> {
  const store = await openStore(directory);
  try {
    const found = new Set<string>();
    for (let trace = 0; trace < TRACES; trace += 1) {
      for (const { spanId, bytes } of await store.readTrace(TENANT, traceIdOf(trace))) {
        const number = Number.parseInt(spanId.slice(1), 16);
        expect(Buffer.from(bytes).equals(Buffer.from(encodeSpan(spanOf(number))))).toBe(true);
        found.add(spanId);
      }
    }
    return found;
  } finally {
    await store.close();
  }
}

/** Damages one file at one place: bytes changed, zeroed, moved from elsewhere, or cut off. */
function damage(path: string, dice: Dice): string {
  const bytes = readFileSync(path);
  const at = dice(bytes.length);
  const length = 1 + dice(Math.min(4096, bytes.length - at));
  switch (dice(4)) {
    case 0:
      bytes[at] = (bytes[at] ?? 0) ^ (1 << dice(8));
      break;
    case 1:
      bytes.fill(0, at, at + length);
      break;
    case 2:
      bytes.copy(bytes, at, dice(bytes.length), at + length);
      break;
    default:
      truncateSync(path, at);
      return `${path} cut off at ${at}`;
  }
  writeFileSync(path, bytes);
  return `${path} changed from ${at} for ${length} bytes`;
}

function filesOf(directory: string): string[] {
  return readdirSync(directory, { recursive: true, encoding: 'utf8' })
    .filter((name) => /(?:^|\/)(?:log|packs|chain)\//.test(name) && /\.\w+$|\d$/.test(name))
    .sort();
}

/** What the store says when it cannot go on; anything but that is a defect. */
async function orRefusal<Value>(work: () => Value | Promise<Value>): Promise<Value | 'refused'> {
  try {
    return await work();
  } catch (thrown) {
    if (!isReenactError(thrown)) throw thrown;
    expect(thrown.code).toBe('store-failed');
    expect(thrown.next ?? '').not.toBe('');
    return 'refused';
  }
}

describe('a data directory with a damaged file', () => {
  let base = '';
  let whole = '';
  beforeAll(async () => {
    base = mkdtempSync(join(tmpdir(), 'reenact-damaged-'));
    whole = join(base, 'whole');
    const store = await openStore(whole);
    await fill(store);
    await store.close();
  });
  afterAll(() => rmSync(base, { recursive: true, force: true }));

  it('is whole before anything is damaged, and has files of every kind', async () => {
    expect((await readBack(whole)).size).toBe(REQUESTS * SPANS_PER_REQUEST);
    expect(verifyStore(whole).problems).toEqual([]);
    expect(new Set(filesOf(whole).map((name) => name.split('/')[0]))).toEqual(new Set(['chain', 'log', 'packs']));
  });

  it('gives what was stored or says that it is damaged, and never anything else', { timeout: 1_200_000 }, async () => {
    for (let round = 0; round < ROUNDS; round += 1) {
      const dice = diceOf(round * 7_919 + 13);
      const directory = join(base, `round-${round}`);
      cpSync(whole, directory, { recursive: true });
      const files = filesOf(directory);
      const told = damage(join(directory, files[dice(files.length)] ?? ''), dice);
      if (dice(3) === 0)
        for (const name of readdirSync(directory)) if (name.startsWith('index.')) rmSync(join(directory, name));
      await orRefusal(() => readBack(directory));
      const report: VerifyReport | 'refused' = await orRefusal(() => verifyStore(directory, { rebuildIndex: true }));
      expect(report, told).not.toBe('refused');
      // What was made again can be opened, read and written to, whatever it has lost.
      const left = await readBack(directory);
      expect(left.size, told).toBeGreaterThan(0);
      const store = await openStore(directory);
      await store.appendSpans(TENANT, sliceSpans('fuzz', [spanOf(900_000)]), []);
      await store.close();
      expect((await readBack(directory)).has(spanIdOf(900_000)), told).toBe(true);
      rmSync(directory, { recursive: true, force: true });
    }
  });
});
