import { type Context, context, type Link, ROOT_CONTEXT } from '@opentelemetry/api';
import type { ReadableSpan } from '@opentelemetry/sdk-trace-base';
import { CANONICAL_POLICIES } from '@reenact/trace-model';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { admit, agent, gate, type OpenCrossing, tool } from '../index.ts';
import { RecordingHost } from '../testdata/recording-host.ts';

const KEY = 'reenact.process.set_up';
const boundary = {
  kind: 'agent',
  name: 'process',
  effect: 'write',
  capture: 'full',
  policy: CANONICAL_POLICIES.arguments,
} as const;

let host: RecordingHost;
let processRun: OpenCrossing | undefined;

/** Opens the run of the process at the first call that nothing encloses, as the register hook does. */
function opened(): Context | undefined {
  if (processRun === undefined) {
    const admission = admit({ boundary, input: [], call: 'promise', span: { name: 'process', kind: 'internal' } });
    if (admission.type === 'run') processRun = admission.crossing;
  }
  return processRun?.context;
}

beforeEach(() => {
  host = new RecordingHost();
  processRun = undefined;
  gate.configure({ rootContext: opened, openedRootContext: () => processRun?.context });
});

afterEach(async () => {
  gate.configure({ openedRootContext: undefined });
  await host.stop();
});

const read = tool('read', async (name: string) => name, { effect: 'read' });
const desk = agent('desk', async () => read('inside'));

/** What the roots of the runs say of their set-up, in the order in which they ended. */
function counts(spans: readonly ReadableSpan[]): unknown[] {
  return spans
    .filter(({ name }) => name === 'invoke_agent desk')
    .map(({ links }) => links.filter(isOfSetUp).map((link) => link.attributes?.[KEY]));
}

function isOfSetUp({ attributes }: Link): boolean {
  return attributes?.[KEY] !== undefined;
}

describe('the root of a run', () => {
  it('links to the run of its process and counts what had begun there, not what came later', async () => {
    await desk();
    await read('limit');
    await desk();
    const late = read('late');
    await Promise.all([desk(), late]);
    await read('after');
    const spans = await host.recorded();
    expect(counts(spans)).toEqual([[], [1], [2]]);
    const linked = spans.flatMap(({ links }) => links.filter(isOfSetUp).map((link) => link.context.spanId));
    expect(new Set(linked)).toEqual(new Set([processRun?.spanId]));
    expect(spans.filter(({ name, links }) => name !== 'invoke_agent desk' && links.some(isOfSetUp))).toEqual([]);
  });

  it('links there also where the run of its process was begun beside it only, and hands over what is open there', async () => {
    const door = Promise.withResolvers<string>();
    const waits = tool('wait', () => door.promise, { effect: 'read' });
    let calledOutside: Promise<string> | undefined;
    await agent('desk', async () => {
      calledOutside = context.with(ROOT_CONTEXT, () => waits());
    })();
    const spans = await host.recorded();
    expect(counts(spans)).toEqual([[0]]);
    expect(spans.map(({ name, attributes }) => [name, attributes['reenact.outcome']])).toEqual([
      ['process', 'pending'],
      ['execute_tool wait', 'pending'],
      ['invoke_agent desk', 'returned'],
    ]);
    door.resolve('open');
    await calledOutside;
  });

  it('says nothing inside a run: an agent within an agent is no root', async () => {
    await read('limit');
    await agent('around', () => desk())();
    const spans = await host.recorded();
    expect(counts(spans)).toEqual([[]]);
  });
});

describe('what is still open when a run begins', () => {
  it('is recorded as pending once, and again when it ends', async () => {
    const door = Promise.withResolvers<string>();
    const waiting = tool('wait', () => door.promise, { effect: 'read' })();
    await desk();
    await desk();
    const outcomes = async (name: string): Promise<unknown[]> =>
      (await host.recorded()).filter((span) => span.name === name).map((span) => span.attributes['reenact.outcome']);
    expect(await outcomes('execute_tool wait')).toEqual(['pending']);
    expect(await outcomes('process')).toEqual(['pending']);
    door.resolve('done');
    await waiting;
    processRun?.settle({ type: 'returned', value: {} });
    expect(await outcomes('execute_tool wait')).toEqual(['pending', 'returned']);
    expect(await outcomes('process')).toEqual(['pending', 'returned']);
  });

  it('is not what other runs have open', async () => {
    await read('limit');
    const door = Promise.withResolvers<void>();
    const slow = agent('slow', async () => door.promise)();
    await desk();
    const pending = (await host.recorded()).filter((span) => span.attributes['reenact.outcome'] === 'pending');
    expect(pending.map(({ name }) => name)).toEqual(['process']);
    door.resolve();
    await slow;
  });

  it('costs the host nothing where the recorder fails', async () => {
    gate.configure({
      recorder: {
        record: () => {
          throw new TypeError('full');
        },
      },
    });
    await context.with(context.active(), () => read('limit'));
    expect(await desk()).toBe('inside');
  });
});
