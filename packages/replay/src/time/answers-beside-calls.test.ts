// In a process of its own: one whose ports are not to keep it any more, as those of a replay here, never counts as quiet again.
import { AsyncLocalStorage, AsyncResource } from 'node:async_hooks';
import { once } from 'node:events';
import { MessageChannel, type MessagePort, receiveMessageOnPort } from 'node:worker_threads';
import { context } from '@opentelemetry/api';
import { AsyncLocalStorageContextManager } from '@opentelemetry/context-async-hooks';
import { tool } from '@reenact/instrumentation';
import type { CrossingPlan } from '@reenact/recordings/testing';
import type { RecordedDraws } from '@reenact/trace-model';
import { afterAll, afterEach, beforeAll, expect, it } from 'vitest';
import { VIRTUAL_RUN_START, virtualRun } from '../testdata/virtual-run.ts';

beforeAll(() => {
  context.setGlobalContextManager(new AsyncLocalStorageContextManager().enable());
});

afterAll(() => {
  context.disable();
});

const ports: MessagePort[] = [];

afterEach(() => {
  for (const port of ports.splice(0)) port.close();
});

const call = tool('call', async () => 'live', { effect: 'read' });

/** A call that ended as the event of this number. */
function endingAs(settled: number): CrossingPlan[] {
  const endUs = (settled + 1) * 10_000;
  return [{ label: 'tool:call', input: [], output: 'served', effect: 'read', startUs: 0, endUs, settled }];
}

/** What came over one channel, as the events of these numbers. */
function comingAs(...numbers: number[]): RecordedDraws {
  let [before, usBefore] = [0, 0];
  const triples = numbers.flatMap((number) => {
    const us = VIRTUAL_RUN_START * 1_000 + (number + 1) * 10_000;
    const triple = [number - before, 0, us - usBefore];
    [before, usBefore] = [number, us];
    return triple;
  });
  return { work: { 'answers 0': triples } };
}

/** A port whose other end gives each message back after so many turns of the event loop. */
function echoing(turns = 0): MessagePort {
  const { port1, port2 } = new MessageChannel();
  port2.on('message', (message) => {
    let left = turns;
    const turn = (): void => {
      if (left === 0) port2.postMessage(message);
      else setImmediate(turn);
      left -= 1;
    };
    turn();
  });
  ports.push(port1, port2);
  return port1;
}

async function heardBeside(port: MessagePort): Promise<unknown[]> {
  const heard: unknown[] = [];
  port.postMessage('answer');
  await Promise.all([
    once(port, 'message').then(([message]) => heard.push(message)),
    call().then((given) => heard.push(given)),
  ]);
  return heard;
}

it('waits for an answer that was recorded to come before what a call gave', async () => {
  const { value } = await virtualRun(() => heardBeside(echoing(200)), { children: endingAs(1), draws: comingAs(0) });
  expect(value).toEqual(['answer', 'served']);
});

it('keeps one that was recorded to come after it until then, in the context in which it came', async () => {
  const storage = new AsyncLocalStorage<string>();
  const port = storage.run('of the port', () => echoing());
  let context: string | undefined;
  port.once('message', () => {
    context = storage.getStore();
  });
  const { value } = await virtualRun(() => heardBeside(port), { children: endingAs(0), draws: comingAs(1) });
  expect([value, context]).toEqual([['served', 'answer'], 'of the port']);
});

it('gives messages in the order in which they came, the ports that come with them, and the end of the port behind them', async () => {
  const { value } = await virtualRun(
    async () => {
      const heard: unknown[] = [];
      const { port1, port2 } = new MessageChannel();
      const { port1: given } = new MessageChannel();
      const closed = once(port1, 'close');
      port1.addEventListener('message', (event) => {
        heard.push((event as MessageEvent).data, (event as MessageEvent).ports.length);
      });
      port1.on('close', () => heard.push('closed'));
      port1.start();
      port1.postMessage('question');
      port2.postMessage('first', [given]);
      port2.postMessage('second');
      port2.close();
      await Promise.all([closed, call().then((served) => heard.push(served))]);
      return heard;
    },
    { children: endingAs(1), draws: comingAs(0, 2) },
  );
  expect(value).toEqual(['first', 1, 'served', 'second', 0, 'closed']);
});

it('gives the end of a port to who listens for it only when the message before it has come', async () => {
  const { value } = await virtualRun(
    async () => {
      const { port1, port2 } = new MessageChannel();
      const inTurn = once(port1, 'message').then(async ([said]) => {
        await once(port1, 'close');
        return said;
      });
      port1.postMessage('question');
      port2.postMessage('answer');
      port2.close();
      return await Promise.all([call(), inTurn]);
    },
    { children: endingAs(0), draws: comingAs(1) },
  );
  expect(value).toEqual(['served', 'answer']);
});

it('comes to the resource that it was for, whichever of them is answered first', async () => {
  const [first, second] = [comingAs(0).work?.['answers 0'] ?? [], comingAs(2).work?.['answers 0'] ?? []];
  const { value } = await virtualRun(
    async () => {
      const heard: unknown[] = [];
      const tasks = [new AsyncResource('Task'), new AsyncResource('Task')];
      const port = echoing();
      const all = new Promise<void>((resolve) => {
        port.on('message', (index: number) => {
          tasks[index]?.runInAsyncScope(() => {
            if (heard.push(index) === 3) resolve();
          });
        });
      });
      for (const index of [1, 0]) port.postMessage(index);
      await Promise.all([all, call().then((given) => heard.push(given))]);
      return heard;
    },
    { children: endingAs(1), draws: { work: { 'entries Task 0': first, 'entries Task 1': second } } },
  );
  expect(value).toEqual([0, 'served', 1]);
});

it('comes to the question with the same id, whichever of them is answered first, and the end of the port behind all of them', async () => {
  const [first, second] = [comingAs(0).work?.['answers 0'] ?? [], comingAs(2).work?.['answers 0'] ?? []];
  const { value } = await virtualRun(
    async () => {
      const heard: unknown[] = [];
      const { port1, port2 } = new MessageChannel();
      const closed = once(port1, 'close').then(() => heard.push('closed'));
      port1.on('message', ({ id }) => heard.push(id));
      for (const id of ['first', 'second']) port1.postMessage({ id });
      for (const id of ['second', 'first']) port2.postMessage({ id });
      port2.close();
      await Promise.all([closed, call().then((given) => heard.push(given))]);
      return heard;
    },
    { children: endingAs(1), draws: { work: { 'replies 0': first, 'replies 1': second } } },
  );
  expect(value).toEqual(['first', 'served', 'second', 'closed']);
});

it('goes on without an answer that does not come, and keeps no place of those behind it', {
  timeout: 60_000,
}, async () => {
  const { value, notes } = await virtualRun(
    async () => {
      const port = echoing();
      const heard: unknown[] = [];
      port.on('message', (message) => heard.push(message));
      const { port1: silent, port2 } = new MessageChannel();
      ports.push(silent, port2);
      silent.postMessage('nobody hears it');
      heard.push(await call());
      port.postMessage('answer');
      await once(port, 'message');
      return heard;
    },
    { children: endingAs(1), draws: comingAs(0) },
  );
  expect([value, notes.join()]).toEqual([['served', 'answer'], expect.stringContaining('did not come')]);
});

it('is not there yet where it is asked for before its turn, and comes to who listens', async () => {
  const { value } = await virtualRun(
    async () => {
      const { port1, port2 } = new MessageChannel();
      ports.push(port1, port2);
      const heard: unknown[] = [];
      const last = once(port1, 'message').then(([message]) => heard.push(message));
      port1.postMessage('question');
      port2.postMessage('answer');
      heard.push(receiveMessageOnPort(port1), await call());
      await last;
      return heard;
    },
    { children: endingAs(0), draws: comingAs(1) },
  );
  expect(value).toEqual([undefined, 'served', 'answer']);
});
