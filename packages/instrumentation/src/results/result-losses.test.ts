import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { agent, tool } from '../index.ts';
import { RecordingHost } from '../testdata/recording-host.ts';

let host: RecordingHost;
beforeEach(() => {
  host = new RecordingHost();
});
afterEach(() => host.stop());

async function marksOf(spanName: string): Promise<unknown> {
  return (await host.recordedAs(spanName)).attributes['reenact.lossy'] ?? [];
}

/** What the recording says of a tool that gives this. */
async function marksOfTool(give: () => unknown, use: (given: never) => unknown = (given) => given): Promise<unknown> {
  await use(tool('given', give)() as never);
  return marksOf('execute_tool given');
}

class QueryPromise extends Promise<number[]> {
  rows(): number {
    return 2;
  }
}

class Builder {
  limit(): this {
    return this;
  }
  // biome-ignore lint/suspicious/noThenProperty: a query builder is what is tested.
  then(resolve: (rows: number[]) => unknown): unknown {
    return resolve([1]);
  }
}

/** As lazy as those of libraries: they run each time they are waited for. */
function lazy(members: object, give: () => unknown): object {
  // biome-ignore lint/suspicious/noThenProperty: a query builder is what is tested.
  return { ...members, then: (resolve: (value: unknown) => unknown) => resolve(give()) };
}

describe('of a promise that a function gives is told', () => {
  it('that its class has methods, which no replay serves', async () => {
    expect(await marksOfTool(() => QueryPromise.resolve([1]))).toEqual(['/output promise of class QueryPromise']);
  });

  it('that a promise-like has more than what waits for it', async () => {
    expect(await marksOfTool(() => new Builder())).toEqual(['/output promise of class Builder']);
    host.recordings.reset();
    const requestTransaction = (): void => undefined;
    expect(await marksOfTool(() => lazy({ requestTransaction }, () => 1))).toEqual(['/output promise with members']);
  });

  it('that something was hung on it', async () => {
    expect(await marksOfTool(() => Object.assign(Promise.resolve('done'), { pid: 42 }))).toEqual([
      '/output promise with members',
    ]);
  });

  it('nothing where nothing is lost', async () => {
    expect(await marksOfTool(() => Promise.resolve(1))).toEqual([]);
    host.recordings.reset();
    expect(await marksOfTool(() => lazy({}, () => 1))).toEqual([]);
    host.recordings.reset();
    // As Node.js 22 does, where a context follows asynchronous work.
    expect(await marksOfTool(() => Object.assign(Promise.resolve(1), { [Symbol('kResourceStore')]: {} }))).toEqual([]);
  });
});

it('nothing is told of the domain that a promise was made in', async () => {
  const { create } = await import('node:domain');
  const given = create().run(() => marksOfTool(async () => 1));
  expect(await given).toEqual([]);
});

describe('of a stream that is read twice', () => {
  const stream = (): AsyncIterable<number> => ({
    async *[Symbol.asyncIterator]() {
      yield 1;
      yield 2;
    },
  });
  const isReadTwice = async (give: () => AsyncIterable<number> | Promise<AsyncIterable<number>>, partsMax: number) => {
    host.recordings.reset();
    const list = tool('list', give);
    await agent('outer', async () => {
      const given = await list();
      let parts = 0;
      for await (const _ of given) if (++parts >= partsMax) break;
      for await (const _ of given) parts += 1;
    })();
    return marksOf('invoke_agent outer');
  };

  it('the agent around it says so where the first reading is not all that is read', async () => {
    expect(await isReadTwice(stream, 1)).toEqual(['/results/tool:list was read again, which was not recorded']);
  });

  it('the agent around it says so where a promise gave it: a replay gives one that can be read once', async () => {
    const marks = await isReadTwice(async () => stream(), 9);
    expect(marks).toEqual(['/results/tool:list was read again, which was not recorded']);
  });

  it('nothing is said where it was read to its end, or once', async () => {
    expect(await isReadTwice(stream, 9)).toEqual([]);
    const generator = stream()[Symbol.asyncIterator]() as AsyncGenerator<number>;
    expect(await isReadTwice(async () => generator, 1)).toEqual([]);
  });
});

describe('of a promise-like that is waited for twice', () => {
  const outer = async (give: () => unknown): Promise<unknown> => {
    const find = tool('find', () => lazy({}, give));
    await agent('outer', async () => {
      const found = find();
      await found;
      await found;
    })();
    return marksOf('invoke_agent outer');
  };

  it('the agent around it says so where it gave something else', async () => {
    let runs = 0;
    expect(await outer(() => ({ run: runs++ }))).toEqual([
      '/results/tool:find gave another value when it was waited for again',
    ]);
  });

  it('nothing is said where it gave the same', async () => {
    const kept = { run: 1 };
    expect(await outer(() => kept)).toEqual([]);
    host.recordings.reset();
    expect(await outer(() => 'the same')).toEqual([]);
  });
});

describe('of an iterator that a function gives is told', () => {
  it('that something was hung on it', async () => {
    const words = (): Generator<string> =>
      (function* () {
        yield 'a';
      })();
    const read = (given: Iterable<string>): unknown => [...given];
    expect(await marksOfTool(words, read)).toEqual([]);
    host.recordings.reset();
    expect(await marksOfTool(() => Object.assign(words(), { id: 7 }), read)).toEqual(['/output iterator with members']);
    host.recordings.reset();
    const readable = { id: 7, [Symbol.iterator]: words };
    expect(await marksOfTool(() => readable, read)).toEqual(['/output iterator with members']);
  });

  it('that it went on where its reader ended it, or threw into it', async () => {
    const stubborn = function* (): Generator<string> {
      try {
        yield 'a';
      } catch {
        yield 'caught';
      } finally {
        yield 'last words';
      }
    };
    const end = (given: Generator<string>): unknown => [given.next(), given.return(undefined), given.next()];
    expect(await marksOfTool(stubborn, end)).toEqual(['/output went on after return()']);
    host.recordings.reset();
    const fail = (given: Generator<string>): unknown => [given.next(), given.throw(new Error('no')), ...given];
    expect(await marksOfTool(stubborn, fail)).toEqual(['/output went on after throw()']);
  });
});
