import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { diceOf, minimise, mutate } from './mutate.ts';
import { type RealRequests, realRequests } from './real-requests.ts';
import {
  checkLogsJson,
  checkLogsProtobuf,
  checkTracesJson,
  checkTracesProtobuf,
  type WalkerCheck,
} from './walker-checks.ts';

/** Mutated requests per kind. Raised by the heavy suite. */
const CASES = Number(process.env.REENACT_TEST_FUZZ_CASES ?? 4_000);

/** Where a run starts; every case has a seed of its own and can be tried again by it. */
const SEED = Number(process.env.REENACT_TEST_FUZZ_SEED ?? 20_261_121);

/** Processor time that one input may take, milliseconds: thousands of times what they usually take. What else the machine does meanwhile does not count. */
const CASE_MS_MAX = 2_000;

/** How much the process may have grown after all cases, bytes. */
const GROWTH_BYTES_MAX = 400 * 1024 * 1024;

const checks: readonly (readonly [keyof RealRequests, WalkerCheck])[] = [
  ['tracesProtobuf', checkTracesProtobuf],
  ['tracesJson', checkTracesJson],
  ['logsProtobuf', checkLogsProtobuf],
  ['logsJson', checkLogsJson],
];

/** What is wrong with an input; undefined where nothing is. */
function findingOf(check: WalkerCheck, bytes: Buffer, caseMsMax = CASE_MS_MAX): string | undefined {
  const before = process.threadCpuUsage();
  try {
    check(bytes);
  } catch (thrown) {
    return thrown instanceof Error ? thrown.message : String(thrown);
  }
  const { user, system } = process.threadCpuUsage(before);
  return (user + system) / 1000 > caseMsMax ? 'took too long' : undefined;
}

function report(check: WalkerCheck, bytes: Buffer, seed: number, finding: string): string {
  const small = minimise(bytes, (candidate) => findingOf(check, candidate) !== undefined);
  return `seed ${seed}: ${finding}; keep this as a file of test/fuzz/findings (base64): ${small.toString('base64')}`;
}

function fuzz(requests: readonly Buffer[], check: WalkerCheck): string[] {
  const findings: string[] = [];
  for (let number = 0; number < CASES && findings.length < 5; number += 1) {
    const seed = (SEED + number * 2_654_435_761) >>> 0;
    const dice = diceOf(seed);
    const [base, donor] = [requests[dice(requests.length)], requests[dice(requests.length)]];
    const bytes = mutate(base ?? Buffer.alloc(0), donor ?? Buffer.alloc(0), dice);
    const finding = findingOf(check, bytes);
    if (finding !== undefined) findings.push(report(check, bytes, seed, finding));
  }
  return findings;
}

describe('walkers of damaged requests', () => {
  const real = realRequests();

  it.each(checks)('%s: what is real passes as it is', (kind, check) => {
    expect(real[kind].length).toBeGreaterThan(0);
    expect(real[kind].map((bytes) => findingOf(check, bytes))).toEqual(real[kind].map(() => undefined));
  });

  it.each(checks)('%s: neither crash, hang, read beside the request nor disagree with a decoder', (kind, check) => {
    const before = process.memoryUsage().rss;
    expect(fuzz(real[kind], check)).toEqual([]);
    expect(process.memoryUsage().rss - before).toBeLessThan(GROWTH_BYTES_MAX);
  });

  it('what was once found stays fixed', () => {
    const folder = new URL('findings', import.meta.url).pathname;
    const names = readdirSync(folder).filter((name) => name.endsWith('.bin'));
    const findings = names.flatMap((name) =>
      checks
        .map(([, check]) => findingOf(check, readFileSync(join(folder, name))))
        .filter((found) => found !== undefined),
    );
    expect(names.length).toBeGreaterThan(0);
    expect(findings).toEqual([]);
  });
});

describe('the mutator', () => {
  it('makes the same of the same seed, damages most of the time, and a finding as small as it can be', () => {
    const base = Buffer.from('a request that is long enough to be damaged');
    const made = Array.from({ length: 200 }, (_, seed) => mutate(base, base, diceOf(seed)));
    expect(made.map(String)).toEqual(made.map((_, seed) => String(mutate(base, base, diceOf(seed)))));
    expect(made.filter((bytes) => !bytes.equals(base)).length).toBeGreaterThan(150);
    expect(minimise(base, (candidate) => candidate.includes('q')).toString()).toBe('q');
  });

  it('a case that takes too long is found by its processor time, and none by how long others held it up', () => {
    const spin: WalkerCheck = () => {
      const before = process.threadCpuUsage();
      for (let ms = 0; ms <= 20; ) {
        const { user, system } = process.threadCpuUsage(before);
        ms = (user + system) / 1000;
      }
    };
    const wait: WalkerCheck = () => {
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 500);
    };
    expect(findingOf(spin, Buffer.alloc(0), 20)).toBe('took too long');
    expect(findingOf(wait, Buffer.alloc(0), 200)).toBeUndefined();
  });

  it('a check that must fail does, so that the others can', () => {
    expect(findingOf(checkTracesJson, Buffer.from('{}'))).toBeUndefined();
    const broken: WalkerCheck = (bytes) => {
      if (bytes.includes(0xff)) throw new Error('found');
    };
    expect(fuzz([Buffer.alloc(40)], broken).join()).toContain(
      `findings (base64): ${Buffer.from([0xff]).toString('base64')}`,
    );
  });
});
