import { tool } from '@reenact/instrumentation';
import { describe, expect, it } from 'vitest';
import type { Peer } from './fidelity-library.ts';
import { recordThenReplay } from './record-then-replay.ts';

/** Nothing is asked over the network. */
const nobody: Peer = { address: '', contacts: 0, stop: async () => undefined };

async function rounds(count: number): Promise<void> {
  for (let left = count; left > 0; left -= 1) await undefined;
}

async function turn(): Promise<void> {
  await new Promise((resolve) => setImmediate(resolve));
}

async function* yields(name: string, depth = 0): AsyncGenerator<string> {
  for (let part = 0; part < 4; part += 1) {
    await rounds(depth);
    yield `${name} ${part}`;
  }
}

async function* yieldsThrough(name: string): AsyncGenerator<string> {
  yield* yields(name, 1);
}

async function* fails(): AsyncGenerator<string> {
  yield 'before it fails';
  await rounds(2);
  throw new RangeError('no more');
}

/** Takes promise reactions, or a turn of the event loop, to be closed. */
async function* closes(name: string, close: () => Promise<void>): AsyncGenerator<string> {
  try {
    for (;;) yield name;
  } finally {
    await close();
  }
}

async function* afterTurns(name: string): AsyncGenerator<string> {
  for (let part = 0; part < 3; part += 1) {
    yield `${name} at once`;
    await turn();
    yield `${name} after a turn`;
  }
}

function readableAgain(name: string): AsyncIterable<string> {
  async function* iterate(): AsyncGenerator<string> {
    yield* yields(name);
    await rounds(1);
  }
  return { [Symbol.asyncIterator]: iterate };
}

type Hear = (what: string) => void;
type Reader = (hear: Hear) => Promise<void>;

/** Readers beside a chain of promises of no call: all say how far they are, with a number that is drawn there. */
async function sideBySide(readers: readonly Reader[]): Promise<readonly string[]> {
  const heard: string[] = [];
  const hear: Hear = (what) => void heard.push(`${what} ${Math.random()}`);
  const plain = async (): Promise<void> => {
    for (let step = 0; step < 40; step += 1) {
      await rounds(1);
      hear(`plain ${step}`);
    }
  };
  await Promise.all([...readers.map((reader) => reader(hear)), plain()]);
  return heard;
}

type Stream = AsyncIterable<string> | Promise<AsyncIterable<string>>;

function reads(name: string, open: () => Stream, partsMax = Number.POSITIVE_INFINITY): Reader {
  return async (hear) => {
    let parts = 0;
    try {
      const stream = await open();
      hear(`${name} opened`);
      for await (const part of stream) {
        hear(`${name}: ${part}`);
        parts += 1;
        if (parts >= partsMax) break;
      }
    } catch (error) {
      hear(`${name} failed: ${String(error)}`);
    }
    hear(`${name} is through`);
  };
}

/** Asks for the next part before it has the one before. */
function readsAhead(name: string, open: () => AsyncGenerator<string>): Reader {
  return async (hear) => {
    const stream = open();
    const asked = [stream.next(), stream.next(), stream.next(), stream.next(), stream.next(), stream.next()];
    await Promise.all(asked.map((part) => part.then(({ value, done }) => hear(`${name}: ${value} ${done}`))));
  };
}

/** Asks for more, and closes it again, without waiting for what it does to close. */
function asksWhileClosing(name: string, open: () => AsyncGenerator<string>): Reader {
  return async (hear) => {
    const stream = open();
    await stream.next();
    const asked = [stream.return('one'), stream.next(), stream.return('two'), stream.next()];
    await Promise.all(asked.map((part) => part.then(({ value, done }) => hear(`${name}: ${value} ${done}`))));
  };
}

function readsTwice(name: string, open: () => AsyncIterable<string>): Reader {
  return async (hear) => {
    const stream = open();
    await reads(`${name} once`, () => stream)(hear);
    await reads(`${name} again`, () => stream)(hear);
  };
}

const first = tool('first', () => yields('first'));
const deep = tool('deep', () => yields('deep', 5));
const through = tool('through', () => yieldsThrough('through'));
const promised = tool('promised', async () => yields('promised'));
const failing = tool('failing', fails);
const again = tool('again', () => readableAgain('again'));
const turning = tool('turning', () => afterTurns('turning'));
const left = tool('left', () => closes('left', () => rounds(3)));
const leftSlowly = tool('left slowly', () => closes('left slowly', turn));

/** Gives its stream a turn of the event loop before the first part of it. */
const early = tool('early', async () =>
  (async function* () {
    for (let turns = 0; turns < 5; turns += 1) await turn();
    yield 'late';
  })(),
);
const between = tool('between', turn);

const cases: Readonly<Record<string, readonly Reader[]>> = {
  'that only yield': [reads('first', first), reads('deep', deep), reads('other', first)],
  'that hand on others': [reads('through', through), reads('first', first)],
  'that a promise gives': [reads('promised', promised), reads('first', first), reads('deep', deep)],
  'that fail': [reads('failing', failing), reads('deep', deep)],
  'that are read ahead': [readsAhead('first', first), readsAhead('other', first), reads('through', through)],
  'that are read twice': [readsTwice('again', again), reads('deep', deep)],
  'that turn now and then': [reads('turning', turning), reads('first', first), reads('other', turning)],
  'that are left early': [reads('left', left, 2), reads('deep', deep), reads('first', first, 1)],
  'that are asked for more while they are closed': [asksWhileClosing('left', left), reads('deep', deep)],
  'that are asked for more while they take a turn to be closed': [asksWhileClosing('left slowly', leftSlowly)],
  'that take a turn to be closed': [
    reads('left slowly', leftSlowly, 2),
    async (hear) => {
      for (let calls = 0; calls < 4; calls += 1) {
        await between();
        hear(`between ${calls}`);
      }
    },
  ],
  'that are given before their first part': [
    reads('early', early),
    async (hear) => {
      await between();
      hear('between');
    },
  ],
};

describe('streams whose values come before the event loop turns', () => {
  it.each(Object.entries(cases))(
    'come in a replay as many rounds of promise reactions later: %s',
    async (_, readers) => {
      const { recorded, report } = await recordThenReplay(nobody, () => sideBySide(readers), { recordsDraws: true });
      expect(report.value).toEqual(recorded);
      expect(report.divergences).toEqual([]);
      expect(report).toMatchObject({ verdict: 'reproduced', exitCode: 0 });
    },
  );
});
