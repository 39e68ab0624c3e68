import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { agent, tool } from '../index.ts';
import { RecordingHost } from '../testdata/recording-host.ts';
import { recordAndReplay } from '../testdata/replay-of.ts';

/** What a made-up producer does, step by step. */
type Step =
  | { readonly do: 'yield'; readonly value: unknown }
  | { readonly do: 'throw'; readonly message: string }
  | { readonly do: 'guard'; readonly message: string };

/** What a made-up consumer does. */
type Action = { readonly do: 'next' | 'return' | 'throw'; readonly value: unknown };

const value = fc.oneof(fc.integer(), fc.string(), fc.constant(undefined), fc.jsonValue());
const steps = fc.array(
  fc.oneof(
    fc.record({ do: fc.constant('yield' as const), value }),
    fc.record({ do: fc.constant('throw' as const), message: fc.string() }),
    fc.record({ do: fc.constant('guard' as const), message: fc.string() }),
  ),
  { maxLength: 6 },
);
const actions = fc.array(
  fc.record({
    do: fc.constantFrom('next' as const, 'next' as const, 'next' as const, 'return' as const, 'throw' as const),
    value,
  }),
  { maxLength: 8 },
);

/** A producer that throws, catches what its consumer throws in, and yields once more when it is closed. */
function* produce(script: readonly Step[]): Generator<unknown, unknown, unknown> {
  const received: unknown[] = [];
  for (const step of script) {
    switch (step.do) {
      case 'yield':
        received.push(yield step.value);
        break;
      case 'throw':
        throw new RangeError(step.message);
      case 'guard':
        try {
          received.push(yield 'guarded');
        } catch (error) {
          received.push(['caught', String(error)]);
        } finally {
          yield step.message;
        }
    }
  }
  return received;
}

async function* produceLater(script: readonly Step[]): AsyncGenerator<unknown, unknown, unknown> {
  await Promise.resolve();
  return yield* produce(script);
}

type Readable = Generator<unknown, unknown, unknown> | AsyncGenerator<unknown, unknown, unknown>;

async function consume(stream: Readable, script: readonly Action[]): Promise<unknown[]> {
  const seen: unknown[] = [];
  for (const action of script) {
    try {
      const input = action.do === 'throw' ? new TypeError('thrown in') : action.value;
      seen.push(await stream[action.do](input));
    } catch (error) {
      seen.push(['error', String(error)]);
    }
  }
  return seen;
}

let host: RecordingHost;
beforeEach(() => {
  host = new RecordingHost();
});
afterEach(() => host.stop());

describe('a watched generator behaves as the generator alone, whatever both sides do', () => {
  for (const [name, producer] of [
    ['synchronous', produce],
    ['asynchronous', produceLater],
  ] as const) {
    it(name, async () => {
      const watched = tool('produce', producer as (script: readonly Step[]) => Readable);
      await fc.assert(
        fc.asyncProperty(steps, actions, async (script, reading) => {
          expect(await consume(watched(script), reading)).toEqual(await consume(producer(script), reading));
        }),
        { numRuns: 300 },
      );
    });
  }
});

describe('a served generator gives what the recorded one gave', () => {
  const reading = fc.tuple(fc.nat({ max: 8 }), fc.boolean());
  for (const [name, producer] of [
    ['synchronous', produce],
    ['asynchronous', produceLater],
  ] as const) {
    it(`${name}, read to its end, left early or left open`, async () => {
      const watched = tool('produce', producer as (script: readonly Step[]) => Readable);
      const plain = steps.map((script) => script.filter((step) => step.do !== 'guard'));
      await fc.assert(
        fc.asyncProperty(plain, reading, async (script, [reads, leaves]) => {
          const consumer: Action[] = Array.from({ length: reads }, () => ({ do: 'next', value: undefined }));
          if (leaves) consumer.push({ do: 'return', value: 'left' });
          const run = agent('run', async () => consume(watched(script), consumer));
          const { recorded, replayed, player } = await recordAndReplay(host, run);
          expect(player.refusals).toEqual([]);
          expect(replayed).toStrictEqual(recorded);
          host.recordings.reset();
        }),
        { numRuns: 150 },
      );
    });
  }
});
