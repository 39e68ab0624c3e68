import { AsyncResource } from 'node:async_hooks';
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { register } from 'node:module';
import { setTimeout as pause } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import threads, { MessageChannel, type MessagePort, receiveMessageOnPort, Worker } from 'node:worker_threads';
import { context } from '@opentelemetry/api';
import { recordedDrawsSchema } from '@reenact/trace-model/reading';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { agent, tool } from '../boundary/boundaries.ts';
import { ANSWERS_MAX } from '../limits.ts';
import { scopeOf } from '../run/crossing-scope.ts';
import { recordedFacts } from '../testing/recorded-facts.ts';
import { installDrawRecording } from './install-draw-recording.ts';

setFlagsFromString('--expose-gc');
const collectGarbage = runInNewContext('gc') as () => void;

const recorded = recordedFacts();
const ports: MessagePort[] = [];
let uninstall = (): void => undefined;

beforeEach(() => {
  uninstall = installDrawRecording({ environment: {} });
});

afterEach(() => {
  uninstall();
  for (const port of ports.splice(0)) port.close();
});

/** For each channel that the code of a crossing asked over, each question with an id, and each resource that it made, how many events had been numbered when something came. */
function answersOf(name: string): Record<string, number[]> {
  const facts = recorded.find(({ boundary }) => boundary.name === name);
  const { work = {} } = recordedDrawsSchema.parse(JSON.parse(facts?.draws ?? '{}'));
  const kept = Object.entries(work).filter(([key]) => /^(?:answers|entries|replies) /u.test(key));
  return Object.fromEntries(kept.map(([key, triples]) => [key, numbersOf(triples)]));
}

function numbersOf(triples: readonly number[]): number[] {
  let numbered = 0;
  return Array.from({ length: triples.length / 3 }, (_, index) => {
    numbered += triples[index * 3] ?? 0;
    return numbered;
  });
}

/** A port whose other end gives each message back. */
function echoing(): MessagePort {
  const { port1, port2 } = new MessageChannel();
  port2.on('message', (message) => port2.postMessage(message));
  ports.push(port1, port2);
  return port1;
}

const call = tool('call', async () => undefined);
const answering = `require('node:worker_threads').parentPort.on('message', (asked) => {
  if (asked === 'end') process.exit(3);
  require('node:worker_threads').parentPort.postMessage(asked);
});`;

it('keeps where in the run a thread, a port and a process said something, and where a thread ended', async () => {
  const port = echoing();
  await agent('asking', async () => {
    const thread = new Worker(answering, { eval: true });
    thread.postMessage('question');
    await once(thread, 'message');
    await call();
    port.postMessage('question');
    await once(port, 'message');
    const child = fork('--eval', ['process.send("said")'], { execArgv: [] });
    const said = once(child, 'message');
    thread.postMessage('end');
    expect([await once(thread, 'exit'), await said]).toEqual([[3], ['said', undefined]]);
  })();
  const kept = answersOf('asking');
  expect(kept).toMatchObject({ 'answers 0': [0, expect.any(Number)], 'answers 1': [2] });
  expect([kept['answers 0']?.[1], kept['answers 2']?.[0]].toSorted()).toEqual([3, 4]);
});

it('keeps what comes because somebody handed on what waited, outside of all runs, for the only run that goes on', async () => {
  const port = echoing();
  const waiting = ['second', 'third'];
  let heard = 0;
  const all = new Promise<void>((resolve) => {
    port.on('message', () => {
      heard += 1;
      const next = waiting.shift();
      if (next === undefined) resolve();
      else port.postMessage(next);
    });
  });
  await agent('pooling', async () => {
    port.postMessage('first');
    await all;
  })();
  expect([heard, answersOf('pooling')]).toEqual([3, { 'answers 0': [0, 1, 2] }]);
});

/** Asks over a port, one thing at a time, and calls back in a resource of who wants to know. */
function pooling(port: MessagePort): (question: unknown) => Promise<unknown> {
  const waiting: {
    readonly question: unknown;
    readonly task: AsyncResource;
    readonly resolve: (answer: unknown) => void;
  }[] = [];
  const ask = (): void => port.postMessage(waiting[0]?.question);
  port.on('message', (answer) => {
    const { task, resolve } = waiting.shift() ?? {};
    if (waiting.length > 0) ask();
    task?.runInAsyncScope(() => resolve?.(answer));
  });
  return (question) =>
    new Promise((resolve) => {
      if (waiting.push({ question, task: new AsyncResource('Task'), resolve }) === 1) ask();
    });
}

it('keeps what a pool hands to a resource for who made that, whichever run the pool asked for last', async () => {
  const inPool = pooling(echoing());
  const asking = (name: string): (() => Promise<unknown>) =>
    agent(name, () => Promise.all([inPool(1), inPool(2), inPool(3)]));
  expect(await Promise.all([asking('one')(), asking('other')()])).toEqual([
    [1, 2, 3],
    [1, 2, 3],
  ]);
  const each = { 'entries Task 0': [0], 'entries Task 1': [1], 'entries Task 2': [2] };
  expect([answersOf('one'), answersOf('other')]).toEqual([each, each]);
});

/** Says that it is there, and gives back over the port that it is given what it is asked over that. */
const lentAPort = new URL(
  `data:text/javascript,${encodeURIComponent(`import { parentPort } from 'node:worker_threads';
parentPort.on('message', ({ port }) => {
  port.on('message', (asked) => port.postMessage(asked));
  parentPort.postMessage('ready');
});`)}`,
);

function threadWithPort(): { readonly thread: Worker; readonly port: MessagePort } {
  const { port1, port2 } = new threads.MessageChannel();
  const thread = new threads.Worker(lentAPort);
  thread.postMessage({ port: port2 }, [port2]);
  ports.push(port1);
  return { thread, port: port1 };
}

it('keeps nothing of what the threads of a pool say of themselves, for other ones of them start and end in a replay', async () => {
  await agent('pooling threads', async () => {
    const [used, unused] = [threadWithPort(), threadWithPort()];
    await Promise.all([once(used.thread, 'message'), once(unused.thread, 'message')]);
    await pooling(used.port)(1);
    await Promise.all([used.thread.terminate(), unused.thread.terminate()]);
  })();
  expect(Object.keys(answersOf('pooling threads'))).toEqual(['entries Task 0']);
});

/** Says by itself how it gets on with what it is asked over its port. */
const tellingProgress = new URL(
  `data:text/javascript,${encodeURIComponent(`import { parentPort } from 'node:worker_threads';
parentPort.once('message', ({ port }) => {
  port.on('message', (asked) => {
    parentPort.postMessage('at work');
    port.postMessage(asked);
  });
  parentPort.postMessage('ready');
});`)}`,
);

it('keeps what a thread says of its work beside the port that it answers resources over, where it is the only one', async () => {
  await agent('listening', async () => {
    const { port1, port2 } = new threads.MessageChannel();
    ports.push(port1);
    const thread = new threads.Worker(tellingProgress);
    thread.postMessage({ port: port2 }, [port2]);
    await once(thread, 'message');
    const ask = pooling(port1);
    for (let index = 0; index < 2; index += 1) await Promise.all([once(thread, 'message'), ask(index)]);
    await thread.terminate();
  })();
  const { 'answers 0': ofThread, ...tasks } = answersOf('listening');
  // That it is ready, twice that it works, and its end.
  expect([ofThread?.length, Object.keys(tasks)]).toEqual([4, ['entries Task 0', 'entries Task 1']]);
});

it('leaves a message to the host: no getter of it is called, no handler of a proxy, and what throws there is not sent less', async () => {
  const { port1, port2 } = new threads.MessageChannel();
  ports.push(port1, port2);
  let reads = 0;
  class Told {
    readonly n = 1;
    get type(): never {
      throw new Error('A structured clone calls no getter of a class.');
    }
  }
  const counting = {
    get type() {
      reads += 1;
      return reads;
    },
  };
  for (const message of [new Told(), counting]) port1.postMessage(message);
  expect([receiveMessageOnPort(port2), receiveMessageOnPort(port2)]).toEqual([
    { message: { n: 1 } },
    { message: { type: 1 } },
  ]);
});

it('leaves the class of channels the one that is global, too', () => {
  expect(globalThis.MessageChannel).toBe(threads.MessageChannel);
  expect(new globalThis.MessageChannel()).toBeInstanceOf(threads.MessageChannel);
});

it('keeps what a thread says that was given a port over which no resource is answered', async () => {
  const script = new URL(`${lentAPort}//`);
  await agent('asking beside a port', async () => {
    const { port1, port2 } = new threads.MessageChannel();
    ports.push(port1);
    const thread = new threads.Worker(script);
    thread.postMessage({ port: port2 }, [port2]);
    await once(thread, 'message');
    port1.postMessage('question');
    await once(port1, 'message');
    await thread.terminate();
  })();
  expect(answersOf('asking beside a port')).toEqual({ 'answers 0': [0, 2], 'answers 1': [1] });
});

it('keeps what is said to a question with an id for who asked that, whichever run asked last over the channel', async () => {
  const port = echoing();
  const asking = (name: string, ids: readonly number[]): (() => Promise<unknown>) =>
    agent(name, async () => {
      const heard = new Promise<void>((resolve) => {
        port.on('message', ({ id }) => {
          if (id === ids.at(-1)) resolve();
        });
      });
      for (const id of ids) port.postMessage({ id });
      await heard;
      await call();
    });
  await Promise.all([asking('one', [1, 2])(), asking('other', [3])()]);
  expect([answersOf('one'), answersOf('other')]).toEqual([
    { 'replies 0': [0], 'replies 1': [1] },
    { 'replies 0': [0] },
  ]);
});

it('keeps nothing of a resource that is entered by other things than answers, and leaves its class as it is', async () => {
  const port = echoing();
  await agent('entering', async () => {
    const task = new AsyncResource('Task');
    port.postMessage('question');
    await once(port, 'message');
    task.runInAsyncScope(() => undefined);
    expect([task instanceof AsyncResource, task.constructor, Object.keys(task)]).toEqual([true, AsyncResource, []]);
  })();
  expect(answersOf('entering')).toEqual({ 'answers 0': [0] });
});

it('keeps what is taken before it is told of it', async () => {
  const { port1, port2 } = new MessageChannel();
  ports.push(port1, port2);
  await agent('taking', async () => {
    port1.on('message', () => undefined);
    port1.postMessage('question');
    port2.postMessage('answer');
    expect([receiveMessageOnPort(port1), receiveMessageOnPort(port1)]).toEqual([{ message: 'answer' }, undefined]);
    await call();
  })();
  expect(answersOf('taking')).toEqual({ 'answers 0': [0] });
});

it('keeps nothing of what came behind the end of its crossing, nor more than there is room for', async () => {
  const port = echoing();
  await agent('leaving', async () => port.postMessage('question'))();
  await once(port, 'message');
  expect(answersOf('leaving')).toEqual({});
  await agent('flooding', async () => {
    for (let index = 0; index <= ANSWERS_MAX; index += 1) port.postMessage(index);
    for await (const [message] of onMessage(port)) if (message === ANSWERS_MAX) break;
  })();
  expect(answersOf('flooding')['answers 0']).toHaveLength(ANSWERS_MAX);
});

it('holds none of the runs that asked and have ended, where nothing asks outside of them', async () => {
  const { port1: port, port2 } = new MessageChannel();
  ports.push(port, port2);
  const scopes: WeakRef<object>[] = [];
  const asking = agent('asking', async () => {
    scopes.push(new WeakRef(scopeOf(context.active()) ?? {}));
    port.postMessage('question');
  });
  for (let index = 0; index < 100; index += 1) await asking();
  await expect
    .poll(() => {
      collectGarbage();
      return scopes.filter((scope) => scope.deref() !== undefined).length;
    })
    .toBeLessThan(10);
});

it('leaves the class of threads the constructor of its instances', () => {
  expect(Worker.prototype.constructor).toBe(Worker);
});

/** Says something that nobody can read, between two words that can be read, as it ends. */
const unreadable = `const { parentPort } = require('node:worker_threads');
const value = new (require('node:net').BlockList)();
const clone = Object.getOwnPropertySymbols(Object.getPrototypeOf(value)).find((symbol) => String(symbol).includes('clone'));
Object.defineProperty(value, clone, { value: () => ({ data: {}, deserializeInfo: 'none:None' }) });
for (const said of ['first', value, 'last']) parentPort.postMessage(said);`;

it('leaves it to the host what of the last words of a thread cannot be read', async () => {
  const thread = new Worker(unreadable, { eval: true });
  const heard: unknown[] = [];
  thread.on('message', (message) => heard.push(message));
  thread.on('messageerror', () => heard.push('unreadable'));
  const ended = once(thread, 'exit');
  // It ends while nothing of it is heard.
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 1_000);
  await ended;
  expect(heard).toEqual(['first', 'unreadable', 'last']);
});

async function* onMessage(port: MessagePort): AsyncGenerator<unknown[]> {
  const heard: unknown[] = [];
  port.on('message', (message) => heard.push(message));
  for (;;) {
    const message = heard.shift();
    if (message === undefined) await pause(1);
    else yield [message];
  }
}

it('are none of what the thread of module hooks says, which the platform asks for each module', async () => {
  const port = echoing();
  const run = agent('loads', async () => {
    register('data:text/javascript,export const resolve = (specifier, context, next) => next(specifier, context);');
    const { loaded } = (await import(`data:text/javascript,export const loaded = ${Math.random()};`)) as {
      loaded: number;
    };
    const answered = once(port, 'message');
    port.postMessage(loaded);
    return answered;
  });
  await run();
  expect(answersOf('loads')).toEqual({ 'answers 0': [0] });
});
