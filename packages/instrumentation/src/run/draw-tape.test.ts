import { recordedDrawsSchema } from '@reenact/trace-model/reading';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { DRAWN_CHARACTERS_MAX, DRAWS_MAX, TICKS_MAX } from '../limits.ts';
import { DrawTape } from './draw-tape.ts';

function read(tape: DrawTape) {
  return recordedDrawsSchema.parse(JSON.parse(tape.text()));
}

function expand(pairs: readonly number[] = []): number[] {
  let timeMs = 0;
  const times: number[] = [];
  for (let index = 0; index < pairs.length; index += 2) {
    timeMs += pairs[index] ?? 0;
    times.push(...new Array<number>(pairs[index + 1] ?? 0).fill(timeMs));
  }
  return times;
}

describe('a tape of draws', () => {
  it('gives back every clock read, in order, also where the clock was set back', () => {
    fc.assert(
      fc.property(fc.array(fc.integer({ min: 0, max: 4_000_000_000_000 })), (times) => {
        const tape = new DrawTape();
        for (const timeMs of times) tape.addTime('Date.now', timeMs);
        expect(expand(read(tape)['Date.now'])).toEqual(times);
      }),
    );
  });

  it('gives back every number to the last bit', () => {
    fc.assert(
      fc.property(fc.array(fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true })), (numbers) => {
        const tape = new DrawTape();
        for (const number of numbers) tape.addValue('Math.random', number);
        expect(read(tape)['Math.random'] ?? []).toEqual(numbers.map((number) => number + 0));
      }),
    );
  });

  it('keeps the place of what comes later', () => {
    const tape = new DrawTape();
    const first = tape.reserve('crypto.randomBytes');
    tape.addValue('crypto.randomBytes', 'second');
    first('first');
    expect(read(tape)['crypto.randomBytes']).toEqual(['first', 'second']);
  });

  it('keeps a busy loop in a handful of numbers', () => {
    const tape = new DrawTape();
    for (let index = 0; index < 1_000_000; index += 1) tape.addTime('Date.now', 1_790_000_000_000 + (index >> 18));
    expect(tape.text().length).toBeLessThan(200);
    expect(tape.marks()).toEqual([]);
  });

  it('says what it could not keep, and is bounded', () => {
    const tape = new DrawTape();
    for (let index = 0; index < DRAWS_MAX * 2; index += 1) tape.addValue('Math.random', 0.5);
    expect(read(tape)['Math.random']).toHaveLength(DRAWS_MAX);
    expect(tape.isFullOf('draws')).toBe(true);
    expect(tape.marks()).toEqual([expect.stringMatching(/^\/draws\/Math\.random more than /)]);
    const long = new DrawTape();
    for (let index = 0; index < 40; index += 1)
      long.addValue('crypto.randomBytes', 'x'.repeat(DRAWN_CHARACTERS_MAX / 8));
    expect(long.text().length).toBeLessThan(DRAWN_CHARACTERS_MAX * 1.1);
    expect(long.marks()).toHaveLength(1);
  });

  it('loses what a mocked clock or random source makes up, and says so', () => {
    const tape = new DrawTape();
    tape.addTime('Date.now', Number.NaN);
    for (const made of [Number.NaN, 'text', undefined]) tape.addValue('Math.random', made);
    tape.addValue('crypto.randomInt', 0.5);
    tape.addValue('crypto.randomUUID', 7);
    expect(read(tape)).toEqual({});
    expect(tape.marks()).toHaveLength(4);
  });
});

describe('a tape of ticks', () => {
  it('gives back every tick, in order, and where they had their zero', () => {
    const names = fc.constantFrom('performance.now' as const, 'process.hrtime' as const, 'process.uptime' as const);
    fc.assert(
      fc.property(fc.array(fc.tuple(names, fc.maxSafeNat())), (reads) => {
        const tape = new DrawTape();
        for (const [name, nano] of reads) tape.addTick(name, nano);
        const draws = read(tape);
        for (const name of ['performance.now', 'process.hrtime', 'process.uptime'] as const) {
          const ticks = (draws[name] ?? []).map((_, index, since) => since.slice(0, index + 1).reduce((a, b) => a + b));
          expect(ticks).toEqual(reads.filter(([of]) => of === name).map(([, nano]) => nano));
        }
        expect(draws.ticks?.timeOriginMs).toBe(reads.length > 0 ? performance.timeOrigin : undefined);
      }),
    );
  });

  it('says of ticks of another zero where that is, and of times of another clock by how much it is ahead', () => {
    const tape = new DrawTape();
    const origin = { timeOriginMs: 1_000, hrtimeNano: '5', skewMs: -77 };
    tape.addTick('process.hrtime', 7, origin);
    tape.addTick('performance.now', 7, { timeOriginMs: 1, hrtimeNano: '2' });
    tape.addTime('Date.now', 7, -88);
    tape.addTime('Date', 7, -99);
    expect(read(tape)).toMatchObject({ ticks: origin, skewMs: -88 });
    tape.restart();
    tape.addTick('performance.now', 7);
    expect(read(tape).ticks?.timeOriginMs).toBe(performance.timeOrigin);
  });

  it('keeps ticks apart from what else is drawn, bounds them, and says which are none', () => {
    const tape = new DrawTape();
    for (let index = 0; index < TICKS_MAX * 2; index += 1) tape.addTick('performance.now', index);
    tape.addTick('process.uptime', Number.NaN);
    tape.addTime('Date.now', 7);
    expect(read(tape)['performance.now']).toHaveLength(TICKS_MAX);
    expect(read(tape)['Date.now']).toEqual([7, 1]);
    expect([tape.isFullOf('ticks'), tape.isFullOf('draws')]).toEqual([true, false]);
    expect(tape.marks()).toEqual([
      expect.stringMatching(/^\/draws\/performance\.now more than /),
      expect.stringMatching(/^\/draws\/process\.uptime a time that is no whole number/),
    ]);
  });
});

describe('a tape of what the machine says of itself', () => {
  it('draws on where so much was said of the machine that no more of it is kept, and the other way round', () => {
    const tape = new DrawTape();
    for (let index = 0; index <= DRAWS_MAX; index += 1) tape.addReading('os.freemem', '1');
    tape.addValue('Math.random', 0.5);
    expect(read(tape)['Math.random']).toEqual([0.5]);
    expect(tape.marks()).toEqual([expect.stringMatching(/^\/draws\/os.freemem more than /)]);
    expect(tape.isFullOf('draws')).toBe(false);
    const other = new DrawTape();
    for (let index = 0; index <= DRAWS_MAX; index += 1) other.addValue('Math.random', 0.5);
    other.addReading('os.freemem', '1');
    expect(read(other)['os.freemem']).toEqual(['1']);
  });
});
