import { type Crossing, encodeValue, isReenactError, type Outcome, payloadOf } from '@reenact/trace-model';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { installDedicatedPlayer, type Release, tool } from '../index.ts';
import { RecordingHost } from '../testdata/recording-host.ts';
import { TapePlayer } from '../testing/tape-player.ts';

let host: RecordingHost;
let uninstall: () => void = () => {};
let player: TapePlayer;
beforeEach(() => {
  host = new RecordingHost();
});
afterEach(async () => {
  uninstall();
  await host.stop();
});

function crossing(outcome: Outcome, members: Partial<Crossing>): Crossing {
  return {
    traceId: '1'.repeat(32),
    spanId: '2'.repeat(16),
    kind: 'tool',
    name: 'stub',
    path: 'tool:stub',
    order: 0,
    call: 'sync',
    effect: 'write',
    capture: 'full',
    canonicalPolicy: 'arguments/1',
    outcome,
    exchanges: [],
    startTimeUnixNano: 0n,
    endTimeUnixNano: 0n,
    lossy: [],
    redacted: [],
    dialect: 'reenact',
    attributes: new Map(),
    damage: [],
    ...members,
  };
}

const chunks = [1, 'two', { three: 3 }].map((value, index) => ({
  offsetUs: index * 1_000,
  value: encodeValue(value).payload,
}));

/** A tool whose code must not run, answered by this crossing. */
function stubbed(outcome: Outcome, members: Partial<Crossing>, release?: Release): () => unknown {
  player = new TapePlayer([crossing(outcome, members)], release === undefined ? undefined : () => release);
  uninstall = installDedicatedPlayer(player);
  return tool('stub', (): unknown => {
    throw new TypeError('the code of a stub ran');
  });
}

/** A release that holds everything until it is told. */
class HeldRelease implements Release {
  readonly asked: string[] = [];
  private readonly doors: ((microtasks: undefined) => void)[] = [];

  at(offsetUs: number): Promise<undefined> {
    return this.hold(`at ${offsetUs}`);
  }

  settle(): Promise<undefined> {
    return this.hold('settle');
  }

  private hold(what: string): Promise<undefined> {
    this.asked.push(what);
    return new Promise((resolve) => this.doors.push(resolve));
  }

  open(): void {
    for (const open of this.doors.splice(0)) open(undefined);
  }
}

async function isPending(promise: Promise<unknown>): Promise<boolean> {
  const pending = Symbol('pending');
  const tick = new Promise((resolve) => setImmediate(resolve, pending));
  return (await Promise.race([promise, tick])) === pending;
}

async function allOf(stream: AsyncIterable<unknown>): Promise<unknown[]> {
  const seen: unknown[] = [];
  for await (const item of stream) seen.push(item);
  return seen;
}

describe('a stub answers when the replay releases it', () => {
  it('a promise at its turn', async () => {
    const release = new HeldRelease();
    const value = encodeValue({ ok: true }).payload;
    const answer = stubbed({ type: 'returned', value }, { call: 'promise' }, release)() as Promise<unknown>;
    expect(await isPending(answer)).toBe(true);
    expect(release.asked).toEqual(['settle']);
    release.open();
    expect(await answer).toEqual({ ok: true });
  });

  it('chunks each at their time, read one after the other', async () => {
    const release = new HeldRelease();
    const stub = stubbed(
      { type: 'ended', chunks, value: encodeValue('end').payload },
      { call: 'async-iterator' },
      release,
    );
    const stream = stub() as AsyncGenerator<unknown, unknown>;
    const reads = [stream.next(), stream.next(), stream.next(), stream.next()];
    const seen: unknown[] = [];
    for (const read of reads) {
      expect(await isPending(read)).toBe(true);
      release.open();
      seen.push(await read);
    }
    expect(release.asked).toEqual(['at 0', 'at 1000', 'at 2000', 'settle']);
    expect(seen).toEqual([
      { done: false, value: 1 },
      { done: false, value: 'two' },
      { done: false, value: { three: 3 } },
      { done: true, value: 'end' },
    ]);
    expect(await stream.next()).toEqual({ done: true, value: undefined });
  });

  it('synchronously without waiting, but telling its turn', () => {
    const release = new HeldRelease();
    const read = stubbed({ type: 'returned', value: encodeValue(5).payload }, { call: 'sync' }, release);
    expect(read()).toBe(5);
    expect(release.asked).toEqual(['settle']);
  });
});

describe('a stub of something unfinished', () => {
  it('are steps whose members stand as those of a generator do', async () => {
    const stream = stubbed(
      { type: 'ended', chunks: chunks.slice(0, 1) },
      { call: 'async-iterator' },
    )() as AsyncGenerator;
    expect(JSON.stringify([await stream.next(), await stream.next(), await stream.return(7)])).toBe(
      '[{"value":1,"done":false},{"done":true},{"value":7,"done":true}]',
    );
  });

  it('never resolves where the call was pending', async () => {
    expect(await isPending(stubbed({ type: 'pending' }, { call: 'promise' })() as Promise<unknown>)).toBe(true);
  });

  it('gives what had come of a stream that was pending, by a promise or without, and waits there', async () => {
    for (const call of ['promise', 'async-iterator'] as const) {
      const stream = (await stubbed({ type: 'pending', chunks: chunks.slice(0, 2) }, { call })()) as AsyncGenerator;
      expect([(await stream.next()).value, (await stream.next()).value]).toEqual([1, 'two']);
      expect(await isPending(stream.next())).toBe(true);
    }
  });

  it('waits after the last chunk until the consumer goes away again', async () => {
    const stream = stubbed({ type: 'aborted', chunks }, { call: 'async-iterator' })() as AsyncGenerator<unknown>;
    for (const _ of chunks) expect((await stream.next()).done).toBe(false);
    const waiting = stream.next();
    expect(await isPending(waiting)).toBe(true);
    expect(await stream.return('gone')).toEqual({ done: true, value: 'gone' });
    expect(await waiting).toEqual({ done: true, value: undefined });
    const span = await host.recordedAs('execute_tool stub');
    expect(span.attributes['reenact.outcome']).toBe('aborted');
  });

  it('is refused by name where its reader goes further than one that had all that it had asked for', async () => {
    const left = { type: 'aborted', chunks, reader: 'satisfied' } as const;
    const stream = stubbed(left, { call: 'async-iterator' })() as AsyncGenerator<unknown>;
    const reading = (async () => {
      for await (const _ of stream);
    })();
    await expect(reading).rejects.toThrow(/is read further than when it was recorded.* after 3 values/);
    expect(player.refusals).toHaveLength(1);
    expect((await stream.next()).done).toBe(true);
    expect((await host.recordedAs('execute_tool stub')).attributes['reenact.outcome']).toBe('failed');
  });

  it('refuses nobody who reads ahead and calls it off', async () => {
    const left = { type: 'aborted', chunks, reader: 'satisfied' } as const;
    const stream = stubbed(left, { call: 'async-iterator' })() as AsyncGenerator<unknown>;
    for (const _ of chunks) await stream.next();
    const ahead = stream.next();
    await new Promise(setImmediate);
    await stream.return('gone');
    expect(await ahead).toEqual({ done: true, value: undefined });
    for (let turn = 0; turn < 50; turn += 1) await new Promise(setImmediate);
    expect(player.refusals).toEqual([]);
  });

  it('is refused where a synchronous reader goes further than the recorded one', () => {
    const seen: unknown[] = [];
    const read = stubbed({ type: 'aborted', chunks }, { call: 'iterator' });
    expect(() => {
      for (const item of read() as Iterable<unknown>) seen.push(item);
    }).toThrow('read further');
    expect(seen).toEqual([1, 'two', { three: 3 }]);
    expect(player.refusals).toHaveLength(1);
  });
});

describe('a stub keeps the nature of a stream', () => {
  it('fails after the same chunk with the same error', async () => {
    const error = encodeValue(new RangeError('cut')).payload;
    const stub = stubbed({ type: 'failed', chunks: chunks.slice(0, 1), error }, { call: 'async-iterator' });
    const stream = stub() as AsyncGenerator<unknown>;
    expect((await stream.next()).value).toBe(1);
    await expect(stream.next()).rejects.toThrow(RangeError);
    expect((await stream.next()).done).toBe(true);
  });

  it('is read once where it was an iterator, again and again where it was an iterable', async () => {
    const once = stubbed({ type: 'ended', chunks }, { call: 'iterator' })() as Iterable<unknown>;
    expect([[...once], [...once]]).toEqual([[1, 'two', { three: 3 }], []]);
    uninstall();
    const again = stubbed({ type: 'ended', chunks }, { call: 'async-iterable' })() as AsyncIterable<unknown>;
    expect(await allOf(again)).toEqual([1, 'two', { three: 3 }]);
    expect(await allOf(again)).toEqual([1, 'two', { three: 3 }]);
  });

  it('comes from a promise where it did', async () => {
    const stub = stubbed({ type: 'ended', chunks }, { call: 'promise' });
    expect(await allOf((await stub()) as AsyncIterable<unknown>)).toEqual([1, 'two', { three: 3 }]);
  });

  it('gives way to a consumer that stops early, and says so', async () => {
    for await (const _ of stubbed({ type: 'ended', chunks }, { call: 'async-iterator' })() as AsyncIterable<unknown>)
      break;
    const { attributes } = await host.recordedAs('execute_tool stub');
    expect(attributes['reenact.outcome']).toBe('aborted');
    expect(attributes['reenact.output.chunks']).toMatch(/^\[\[\d+,"json","1"\]\]$/);
  });

  it('is kept with the rounds of reactions after which its parts came now, and not with those of before', async () => {
    const inTurn: Release = { at: async (_, microtasks) => microtasks, settle: async () => 3 };
    const turned: Release = { at: async () => undefined, settle: async () => undefined };
    const members = { call: 'async-iterator', settledMicrotasks: 3 } as const;
    const counted = chunks.map((chunk) => ({ ...chunk, microtasks: 2 }));
    for (const [release, rounds, end] of [
      [inTurn, [2, 2, 2], 3],
      [turned, [], undefined],
    ] as const) {
      await allOf(stubbed({ type: 'ended', chunks: counted }, members, release)() as AsyncIterable<unknown>);
      const { attributes } = await host.recordedAs('execute_tool stub');
      const kept = JSON.parse(String(attributes['reenact.output.chunks'])) as unknown[][];
      expect(kept.flatMap((chunk) => chunk.slice(3))).toEqual(rounds);
      expect(attributes['reenact.settled_microtasks']).toBe(end);
      uninstall();
      await host.stop();
      host = new RecordingHost();
    }
  });

  it('is kept with the times at which its parts were given now', async () => {
    const minuteUs = 60_000_000;
    const late = chunks.map((chunk) => ({ ...chunk, offsetUs: chunk.offsetUs + minuteUs }));
    const streamGiven = { offsetUs: minuteUs };
    const stub = stubbed({ type: 'ended', chunks: late }, { call: 'promise', streamGiven, closedUs: 2 * minuteUs });
    await allOf((await stub()) as AsyncIterable<unknown>);
    const { attributes } = await host.recordedAs('execute_tool stub');
    const kept = JSON.parse(String(attributes['reenact.output.chunks'])) as [offsetUs: number][];
    const offsets = [Number(attributes['reenact.output.given_us']), ...kept.map(([offsetUs]) => offsetUs)];
    expect(offsets).toHaveLength(4);
    expect(offsets.toSorted((left, right) => left - right)).toEqual(offsets);
    expect(offsets.at(-1)).toBeLessThan(minuteUs);
  });
});

describe('a stub serves nothing in the place of what is missing', () => {
  const value = encodeValue([1, 2, 3]).payload;
  const cases: readonly (readonly [string, Outcome, Partial<Crossing>])[] = [
    ['a value that was not captured', { type: 'returned' }, {}],
    ['an error that was not captured', { type: 'threw' }, {}],
    ['a digest', { type: 'returned', value: { format: 'json', digest: value.digest } }, {}],
    ['a stream captured by digest only', { type: 'ended', chunks: [] }, { call: 'iterator', capture: 'digest' }],
    ['a synchronous call that was pending', { type: 'pending' }, {}],
    ['chunks where a value is asked for', { type: 'ended', chunks }, {}],
  ];
  for (const [what, outcome, members] of cases) {
    it(what, () => {
      let thrown: unknown;
      try {
        stubbed(outcome, members)();
      } catch (error) {
        thrown = error;
      }
      expect(isReenactError(thrown) && thrown.code).toBe('replay-refused');
      expect(player.refusals).toHaveLength(1);
    });
  }

  it('a payload that was damaged', () => {
    const damaged = { ...payloadOf('json', '[1,2,3]'), data: '[1,2,4]' };
    expect(stubbed({ type: 'returned', value: damaged }, {})).toThrow('does not match the digest');
  });
});
