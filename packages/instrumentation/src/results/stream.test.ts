import { setImmediate as turn } from 'node:timers/promises';
import { context, trace } from '@opentelemetry/api';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { agent, tool } from '../index.ts';
import { RecordingHost } from '../testdata/recording-host.ts';

let host: RecordingHost;
beforeEach(() => {
  host = new RecordingHost();
});
afterEach(() => host.stop());

async function recordedStream(name: string): Promise<{ outcome: unknown; chunks: unknown[]; call: unknown }> {
  const { attributes } = await host.recordedAs(`execute_tool ${name}`);
  const chunks = JSON.parse(String(attributes['reenact.output.chunks'])) as [number, string, string][];
  return {
    outcome: attributes['reenact.outcome'],
    chunks: chunks.map(([, , data]) => JSON.parse(data) as unknown),
    call: attributes['reenact.call'],
  };
}

describe('a stream passes through while it is recorded', () => {
  it('chunk by chunk: the first is there before the second is made, and nothing is read ahead', async () => {
    const made: number[] = [];
    const count = tool('count', async function* () {
      for (let index = 0; index < 3; index += 1) {
        made.push(index);
        yield { index };
      }
      return 'total';
    });
    const stream = count();
    await turn();
    expect(made).toEqual([]);
    expect(await stream.next()).toEqual({ done: false, value: { index: 0 } });
    await turn();
    expect(made).toEqual([0]);
    expect([await stream.next(), await stream.next()].map(({ done }) => done)).toEqual([false, false]);
    expect(await stream.next()).toEqual({ done: true, value: 'total' });
    expect(await stream.next()).toEqual({ done: true, value: undefined });
    const recorded = await recordedStream('count');
    expect(recorded).toEqual({
      outcome: 'ended',
      call: 'async-iterator',
      chunks: [{ index: 0 }, { index: 1 }, { index: 2 }],
    });
    const { attributes } = await host.recordedAs('execute_tool count');
    expect(attributes['reenact.output']).toBe('"total"');
  });

  it('with chunks as they were when they passed', async () => {
    const words = tool('words', async function* () {
      yield { text: 'first' };
    });
    for await (const word of words()) word.text = 'changed';
    expect((await recordedStream('words')).chunks).toEqual([{ text: 'first' }]);
  });

  it('says how its reader stood to it where that closed it, and nothing of one that is still read when its process ends', async () => {
    const one = tool('one', async function* () {
      yield 1;
      await new Promise(() => undefined);
    });
    const readersOfOpen = (): unknown[] =>
      host.processor.pending().map(({ attributes }) => attributes['reenact.output.reader']);
    const closed = one();
    expect(readersOfOpen()).toEqual([undefined]);
    await closed.next();
    await closed.return(undefined);
    expect((await host.recordedAs('execute_tool one')).attributes['reenact.output.reader']).toBe('satisfied');
    const left = one();
    await left.next();
    expect(readersOfOpen()).toEqual([undefined]);
    void left.next();
    expect(readersOfOpen()).toEqual([undefined]);
  });

  it('is aborted where the consumer stops, and its finally runs', async () => {
    const cleaned: string[] = [];
    const endless = tool('endless', async function* () {
      try {
        for (let index = 0; ; index += 1) yield index;
      } finally {
        cleaned.push('closed');
      }
    });
    for await (const index of endless()) if (index === 2) break;
    expect(cleaned).toEqual(['closed']);
    expect(await recordedStream('endless')).toMatchObject({ outcome: 'aborted', chunks: [0, 1, 2] });
  });
});

describe('a stream ends as it would without us', () => {
  it('fails after the same chunk with the very error', async () => {
    const failure = new RangeError('half way');
    const failing = tool('failing', function* () {
      yield 'a';
      throw failure;
    });
    const seen: unknown[] = [];
    expect(() => {
      for (const item of failing()) seen.push(item);
    }).toThrow(failure);
    expect(seen).toEqual(['a']);
    expect(await recordedStream('failing')).toEqual({ outcome: 'failed', call: 'iterator', chunks: ['a'] });
  });

  it('takes what the consumer sends in, and what it throws in', async () => {
    const echo = tool('echo', function* (): Generator<unknown, string, unknown> {
      const first: unknown = yield 'ready';
      try {
        yield first;
      } catch (error) {
        return `caught ${(error as Error).message}`;
      }
      return 'not reached';
    });
    const talk = echo();
    expect([talk.next().value, talk.next('hello').value]).toEqual(['ready', 'hello']);
    expect(talk.throw(new Error('stop'))).toEqual({ done: true, value: 'caught stop' });
    expect(await recordedStream('echo')).toMatchObject({ outcome: 'ended', chunks: ['ready', 'hello'] });
  });

  it('reads again and again where the original does', async () => {
    const rows = {
      [Symbol.asyncIterator]: async function* () {
        yield* [1, 2];
      },
    };
    const query = tool('query', () => rows);
    const result = query();
    expect(result).toBe(rows);
    const seen: number[] = [];
    for await (const row of result) seen.push(row);
    for await (const row of result) seen.push(row);
    expect(seen).toEqual([1, 2, 1, 2]);
    expect(await recordedStream('query')).toEqual({ outcome: 'ended', call: 'async-iterable', chunks: [1, 2] });
  });
});

describe('a stream in another shape', () => {
  it('that a promise resolved to', async () => {
    const open = tool('open', async () =>
      (async function* () {
        yield 'x';
      })(),
    );
    for await (const chunk of await open()) expect(chunk).toBe('x');
    expect(await recordedStream('open')).toEqual({ outcome: 'ended', call: 'promise', chunks: ['x'] });
  });

  it('leaves a web stream whole, and says that it could not be kept', async () => {
    const make = tool('web', () => new Response('body text').body as ReadableStream<Uint8Array>);
    expect(await new Response(make()).text()).toBe('body text');
    const { attributes } = await host.recordedAs('execute_tool web');
    expect(attributes['reenact.lossy']).toEqual(['/output handle ReadableStream']);
  });
});

describe('an object that is handed out again and again', () => {
  it('is recorded at every crossing, and nothing piles up on it', async () => {
    const shared = {
      [Symbol.asyncIterator]: async function* () {
        yield 'row';
      },
    };
    const query = tool('shared', () => shared);
    const lengths: number[] = [];
    for (let index = 0; index < 2_000; index += 1) {
      for await (const _ of query()) lengths.push(1);
    }
    expect(lengths).toHaveLength(2_000);
    const outcomes = (await host.recorded()).map(({ attributes }) => attributes['reenact.outcome']);
    expect(new Set(outcomes)).toEqual(new Set(['ended']));
    expect(outcomes).toHaveLength(2_000);
  });

  it('settles every crossing that waits for one promise-like', async () => {
    class Cached extends Promise<string> {}
    const cached = new Cached((resolve) => setImmediate(() => resolve('hit')));
    const get = tool('cached', () => cached);
    expect(await Promise.all([get(), get(), get()])).toEqual(['hit', 'hit', 'hit']);
    expect(await get()).toBe('hit');
    const outputs = (await host.recorded()).map(({ attributes }) => attributes['reenact.output']);
    expect(outputs).toEqual(['"hit"', '"hit"', '"hit"', '"hit"']);
  });
});

describe('the code of a stream runs in the context of its crossing', () => {
  const activeSpan = (): string | undefined => trace.getSpanContext(context.active())?.spanId;

  it('at every step, while its consumer stays in its own', async () => {
    const inside: (string | undefined)[] = [];
    const nested = tool('nested', async () => activeSpan());
    const steps = tool('steps', async function* () {
      inside.push(activeSpan());
      await turn();
      inside.push(activeSpan());
      yield 1;
      inside.push(activeSpan());
      yield await nested();
    });
    const consumer = await agent('consumer', async () => {
      const seen = [activeSpan()];
      for await (const _ of steps()) seen.push(activeSpan());
      return seen;
    })();
    const stream = await host.recordedAs('execute_tool steps');
    const run = await host.recordedAs('invoke_agent consumer');
    const child = await host.recordedAs('execute_tool nested');
    expect(new Set(inside)).toEqual(new Set([stream.spanContext().spanId]));
    expect(new Set(consumer)).toEqual(new Set([run.spanContext().spanId]));
    expect(child.attributes['reenact.parent']).toBe(stream.spanContext().spanId);
    expect(stream.attributes['reenact.parent']).toBe(run.spanContext().spanId);
  });
});

/** As `query()` of Claude's agents: an iterator with methods, which gives another one to be read in its place. */
class Query {
  private readonly messages: AsyncGenerator<string, number>;

  constructor(messages: AsyncGenerator<string, number>) {
    this.messages = messages;
  }

  next(): Promise<IteratorResult<string, number>> {
    return this.messages.next();
  }

  async return(value: number): Promise<IteratorResult<string, number>> {
    await turn();
    return this.messages.return(value);
  }

  [Symbol.asyncIterator](): AsyncGenerator<string, number> {
    return this.messages;
  }

  interrupt(): string {
    return 'interrupted';
  }
}

describe('an iterator that gives another one to be read in its place', () => {
  const ask = (name: string) =>
    tool(name, (): Query => {
      async function* say(): AsyncGenerator<string, number> {
        yield 'one';
        yield 'two';
        return 2;
      }
      return new Query(say());
    });

  it('is recorded by whichever of the two is read, each chunk once', async () => {
    const query = ask('looped')();
    expect(query.interrupt()).toBe('interrupted');
    const seen: string[] = [];
    for await (const word of query) seen.push(word);
    expect(seen).toEqual(['one', 'two']);
    expect(await recordedStream('looped')).toMatchObject({ outcome: 'ended', chunks: ['one', 'two'] });

    const stepped = ask('stepped')();
    await stepped.next();
    for await (const word of stepped) seen.push(word);
    expect(await stepped.next()).toEqual({ done: true, value: undefined });
    expect(await recordedStream('stepped')).toMatchObject({ outcome: 'ended', chunks: ['one', 'two'] });
  });

  it('is aborted where its reader stops, and where it is told to', async () => {
    for await (const word of ask('broken')()) if (word === 'one') break;
    expect(await recordedStream('broken')).toMatchObject({ outcome: 'aborted', chunks: ['one'] });

    const query = ask('closed')();
    await query[Symbol.asyncIterator]().next();
    expect(await query.return(7)).toEqual({ done: true, value: 7 });
    expect(await recordedStream('closed')).toMatchObject({ outcome: 'aborted', chunks: ['one'] });
  });
});
