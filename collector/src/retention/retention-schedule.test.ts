import { randomBytes } from 'node:crypto';
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir, uptime } from 'node:os';
import { join } from 'node:path';
import { encodeTracesProtobuf, walkTracesProtobuf } from '@reenact/otlp';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { createLog } from '../logging/log.ts';
import { RETENTION_COPY_FILE, RETENTION_TIME_FILE } from '../store/data-directory.ts';
import { openStore } from '../store/open-store.ts';
import type { RetentionPolicy, Store } from '../store/store.ts';
import { RetentionSchedule, retentionPolicyOf } from './retention-schedule.ts';
import { readRetentionTime, writeRetentionTime } from './retention-time-file.ts';

const TENANT = 'default';
const TRACE_ID = 'a'.repeat(32);
const DAY_MS = 86_400_000;
const INTERVAL_MS = 20;
// Nothing summarises here, so any run may have failed.
const policy = retentionPolicyOf({ graceDays: 7, ordinaryDays: 30, specialDays: 30 });

let directory: string;
let store: Store;
const events: string[] = [];

async function append(traceDigit: string, name = 'young'): Promise<void> {
  const times = { startTimeUnixNano: '1', endTimeUnixNano: '2' };
  const span = { traceId: traceDigit.repeat(32), spanId: 'b'.repeat(16), name, ...times };
  const walked = walkTracesProtobuf(encodeTracesProtobuf({ resourceSpans: [{ scopeSpans: [{ spans: [span] }] }] }));
  if (!walked.ok) expect.fail(walked.problem.message);
  await store.appendSpans(TENANT, walked.spans, []);
}

beforeEach(async () => {
  vi.useFakeTimers({ toFake: ['Date'] });
  directory = mkdtempSync(join(tmpdir(), 'reenact-schedule-'));
  store = await openStore(directory);
  await append('a');
});
afterEach(async () => {
  vi.useRealTimers();
  await store.close();
  rmSync(directory, { recursive: true });
  events.length = 0;
});

/** Starts as a process does, lets some passes go by, and ends. `act` happens after the first. */
async function run(act: () => void = () => undefined, asked = policy): Promise<void> {
  const expire = vi.spyOn(store, 'expire');
  const log = createLog('info', (line) => events.push((JSON.parse(line) as { event: string }).event));
  const schedule = new RetentionSchedule({ store, dataDirectory: directory }, asked, INTERVAL_MS, log);
  const hasPassed = (passes: number): Promise<void> =>
    vi.waitFor(() => expect(expire.mock.results.length).toBeGreaterThan(passes), { timeout: 20_000 });
  try {
    await hasPassed(1);
    act();
    await hasPassed(expire.mock.results.length + 2);
  } finally {
    await schedule.stop();
    expire.mockRestore();
  }
}

/** A pass that goes on until it is told to stop. */
async function untilStopped({ signal }: RetentionPolicy): Promise<number> {
  if (signal?.aborted !== true) await new Promise((resolve) => signal?.addEventListener('abort', resolve));
  return 0;
}

/** The clock that receipts have is the machine's own: another one, and no pass yet. */
function startAhead(days: number): void {
  setClockAhead(days);
  writeRetentionTime(directory, { wallMs: Date.now(), uptimeMs: uptime() * 1000, ranMs: 0, doubts: [] });
}

/** Lets days pass on a machine that stays on while the collector is stopped. */
function letPass(days: number): void {
  const last = readRetentionTime(directory)?.time;
  if (last === undefined) expect.fail('no time of retention');
  writeRetentionTime(directory, { ...last, uptimeMs: last.uptimeMs - days * DAY_MS });
  setClockAhead(days);
}

/** Of a run: it is there after so many days, and no more `more` days later. */
async function expectStaying(days: number, more: number): Promise<void> {
  letPass(days);
  await run();
  expect(await store.readTrace(TENANT, TRACE_ID)).toHaveLength(1);
  letPass(more);
  await run();
  expect(await store.readTrace(TENANT, TRACE_ID)).toHaveLength(0);
}

const setClockAhead = (days: number) => vi.setSystemTime(Date.now() + days * DAY_MS);

describe('retention where somebody sets the clock of the machine', () => {
  it('deletes nothing that is young, and nothing after a restart either', async () => {
    await run(() => setClockAhead(400));
    expect(events).toEqual(['clock leapt ahead']);
    await run();
    setClockAhead(400);
    await run();
    expect(await store.readTrace(TENANT, TRACE_ID)).toHaveLength(1);
    expect(events).toEqual(['clock leapt ahead']);
  });

  it('deletes what is old once time has passed: where it last was is all that counts', async () => {
    await run();
    await store.expire({ ...policy, ordinaryMs: 100 * DAY_MS, specialMs: 100 * DAY_MS }, Date.now() + 31 * DAY_MS);
    letPass(31);
    await run();
    expect(await store.readTrace(TENANT, TRACE_ID)).toHaveLength(0);
    expect(events).toEqual(['thinned out']);
  });
});

describe('retention where the clock was wrong while a run was received', () => {
  it('counts from when a clock that was behind is set right, over restarts, and not from what it said before', async () => {
    await run(() => setClockAhead(40));
    await run();
    await expectStaying(29, 2);
  });

  it('counts from when a clock that was ahead is set back', async () => {
    await run(() => setClockAhead(-400));
    await expectStaying(29, 2);
  });

  it('puts the file into a backup', async () => {
    await run(() => setClockAhead(40));
    const backup = `${directory}-backup`;
    try {
      await store.backup(backup);
      expect(readRetentionTime(backup)).toEqual(readRetentionTime(directory));
    } finally {
      rmSync(backup, { recursive: true, force: true });
    }
  });
});

describe('retention where the clock is set and nobody waits for a pass', () => {
  it('deletes nothing that came while a clock was set back between two passes', async () => {
    startAhead(40);
    const log = createLog('error', () => undefined);
    const schedule = new RetentionSchedule({ store, dataDirectory: directory }, policy, 3_600_000, log);
    const epochs = () => readRetentionTime(directory)?.time.epochs;
    try {
      await vi.waitFor(() => expect(epochs()).toEqual([]), { timeout: 20_000 });
      setClockAhead(-40);
      await vi.waitFor(() => expect(epochs()).toHaveLength(1), { timeout: 20_000 });
      await append('c');
      setClockAhead(40);
      await vi.waitFor(() => expect(epochs()).toHaveLength(2), { timeout: 20_000 });
    } finally {
      await schedule.stop();
    }
    await run();
    expect(await store.readTrace(TENANT, 'c'.repeat(32))).toHaveLength(1);
  });

  it('deletes nothing that comes while a pass is made, by a clock that was set back', async () => {
    startAhead(40);
    const expire = store.expire.bind(store);
    const during = vi.spyOn(store, 'expire').mockImplementation(async (asked, nowMs) => {
      setClockAhead(-40);
      await append('c');
      return expire(asked, nowMs);
    });
    const log = createLog('error', () => undefined);
    const schedule = new RetentionSchedule({ store, dataDirectory: directory }, policy, 3_000, log);
    try {
      await vi.waitFor(() => expect(during).toHaveBeenCalled(), { timeout: 20_000 });
      await during.mock.results[0]?.value;
    } finally {
      await schedule.stop();
      during.mockRestore();
    }
    expect(await store.readTrace(TENANT, 'c'.repeat(32))).toHaveLength(1);
  });
});

describe('retention where the collector was stopped', () => {
  it('deletes at once what went out of its time meanwhile, where the machine stayed on', async () => {
    const wasAt = { wallMs: Date.now(), uptimeMs: (uptime() - 31 * 86_400) * 1000, ranMs: 0, doubts: [] };
    writeRetentionTime(directory, wasAt);
    setClockAhead(31);
    await run();
    expect(events).toEqual(['thinned out']);
  });

  it('goes on from where it was when it stopped', async () => {
    await run();
    const stopped = readRetentionTime(directory)?.time;
    expect(stopped?.wallMs).toBeLessThanOrEqual(Date.now());
    setClockAhead(400);
    await run();
    expect(readRetentionTime(directory)?.time.doubts).toHaveLength(1);
    expect(await store.readTrace(TENANT, TRACE_ID)).toHaveLength(1);
  });

  it('goes by what the store knows where its file is lost or damaged', async () => {
    writeRetentionTime(directory, { wallMs: Number.NaN, uptimeMs: 0, ranMs: 0, doubts: [] });
    expect(existsSync(join(directory, RETENTION_TIME_FILE))).toBe(true);
    expect(existsSync(join(directory, RETENTION_COPY_FILE))).toBe(true);
    expect(readRetentionTime(directory)).toBeUndefined();
    setClockAhead(400);
    await run();
    expect(await store.readTrace(TENANT, TRACE_ID)).toHaveLength(1);
  });
});

describe('retention where the file that says how the clock was set is lost or damaged', () => {
  const paths = (): readonly string[] =>
    [RETENTION_TIME_FILE, RETENTION_COPY_FILE].map((name) => join(directory, name));
  const lose = (path: string) => rmSync(path, { force: true });
  const damage = (path: string) => writeFileSync(path, '{"wallMs":1,"uptime');

  it.each([
    ['lost', lose],
    ['damaged', damage],
  ])('knows from its copy that a clock was behind by which runs came, where the file is %s', async (_, hurt) => {
    await run(() => setClockAhead(40));
    for (const path of paths().slice(0, 1)) hurt(path);
    events.length = 0;
    await run();
    expect(events).toEqual(['retention times read from their copy']);
    await expectStaying(25, 6);
  });

  it('takes every run for received now where both are gone, and says so once', async () => {
    await run(() => setClockAhead(40));
    for (const path of paths()) lose(path);
    events.length = 0;
    await run();
    await run();
    expect(events).toEqual(['retention times lost']);
    await expectStaying(25, 6);
  });

  it('gives up none of them for space within the grace window that begins then', async () => {
    await run(() => setClockAhead(40));
    for (const path of paths()) damage(path);
    await run(undefined, { ...policy, bytesMax: 1 });
    letPass(6);
    await run(undefined, { ...policy, bytesMax: 1 });
    expect(await store.readTrace(TENANT, TRACE_ID)).toHaveLength(1);
    letPass(2);
    await run(undefined, { ...policy, bytesMax: 1 });
    expect(await store.readTrace(TENANT, TRACE_ID)).toHaveLength(0);
  });

  it('says nothing where the store is new', async () => {
    const empty = mkdtempSync(join(tmpdir(), 'reenact-schedule-'));
    const fresh = await openStore(empty);
    const log = createLog('info', (line) => events.push(line));
    const schedule = new RetentionSchedule({ store: fresh, dataDirectory: empty }, policy, INTERVAL_MS, log);
    await vi.waitFor(() => expect(readRetentionTime(empty)).toBeDefined(), { timeout: 20_000 });
    await schedule.stop();
    await fresh.close();
    rmSync(empty, { recursive: true });
    expect(events).toEqual([]);
  });
});

describe('retention by a size that the grace window does not allow', () => {
  it('says once that the store is larger', async () => {
    await run(undefined, { ...policy, bytesMax: 1 });
    expect(events).toEqual(['larger than bytesMax']);
    expect(await store.readTrace(TENANT, TRACE_ID)).toHaveLength(1);
  });

  it('says nothing of what comes while a pass is made: it goes with the next', async () => {
    await run();
    await store.expire({ ...policy, bytesMax: 0 }, Date.now());
    const bytesMax = (await store.stats()).bytes + 1_000_000;
    const expire = store.expire.bind(store);
    const noise = randomBytes(2_000_000).toString('base64');
    vi.spyOn(store, 'expire')
      .mockImplementationOnce(async (asked, nowMs) => {
        const gone = await expire(asked, nowMs);
        await append('c', noise);
        // The store goes by the real clock.
        setClockAhead(0.01);
        return gone;
      })
      .mockImplementation(expire);
    await run(undefined, { ...policy, graceMs: 0, bytesMax });
    expect(events).toEqual(['thinned out']);
  });

  it('says which kept run had to go', async () => {
    await store.keepRun(TENANT, TRACE_ID, 'incident 7');
    await run();
    letPass(8);
    await run(undefined, { ...policy, bytesMax: 1 });
    expect(events).toEqual(['kept runs gone', 'thinned out', 'larger than bytesMax']);
  });

  it('says nothing where it is not', async () => {
    await run(undefined, { ...policy, bytesMax: 2 ** 40 });
    expect(events).toEqual([]);
  });
});

describe('a pass that takes longer than the interval', () => {
  it('is not followed by one for each that was due meanwhile', async () => {
    const passes: PromiseWithResolvers<number>[] = [];
    const expire = vi.spyOn(store, 'expire').mockImplementation(() => {
      const pass = Promise.withResolvers<number>();
      passes.push(pass);
      return pass.promise;
    });
    vi.useFakeTimers({ toFake: ['Date', 'setTimeout', 'clearTimeout', 'setInterval', 'clearInterval'] });
    const log = createLog('info', (line) => events.push(line));
    const schedule = new RetentionSchedule({ store, dataDirectory: directory }, policy, INTERVAL_MS, log);
    await vi.advanceTimersByTimeAsync(INTERVAL_MS / 10);
    while (passes.length === 0) await new Promise(setImmediate);
    await vi.advanceTimersByTimeAsync(10 * INTERVAL_MS);
    expire.mockImplementation(() => Promise.resolve(0));
    for (const pass of passes) pass.resolve(0);
    await schedule.stop();
    expect(expire).toHaveBeenCalledOnce();
    expire.mockRestore();
  });
});

describe('a stop', () => {
  it('does not wait for all that a pass would still delete', async () => {
    const expire = vi.spyOn(store, 'expire').mockImplementation(untilStopped);
    const log = createLog('info', (line) => events.push(line));
    const schedule = new RetentionSchedule(
      { store, dataDirectory: directory },
      { ...policy, bytesMax: 1 },
      INTERVAL_MS,
      log,
    );
    await vi.waitFor(() => expect(expire).toHaveBeenCalled(), { timeout: 20_000 });
    await schedule.stop();
    expire.mockRestore();
    expect(events).toEqual([]);
  });
});
