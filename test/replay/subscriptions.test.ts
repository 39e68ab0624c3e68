import { EventEmitter } from 'node:events';
import { readFile } from 'node:fs/promises';
import { setTimeout as delay } from 'node:timers/promises';
import { context } from '@opentelemetry/api';
import { AsyncLocalStorageContextManager } from '@opentelemetry/context-async-hooks';
import { type ReplayResult, replay } from '@reenact/replay';
import type { Recording } from '@reenact/trace-model';
import { type Announcements, agent, boundary, tool } from 'reenact';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { recordRun } from './recorded-run.ts';

/** What an agent of a test does with what it hears. */
interface Work {
  readonly notes: boolean;
  readonly patienceMs: number;
  readonly listens: boolean;
}

const unchanged: Work = { notes: true, patienceMs: 2_000, listens: true };
let work = unchanged;
let log: string[] = [];
let isOpen = false;

/** A client that is told of orders: the shape of those of Redis and PostgreSQL. In a replay nobody is there to send any. */
class Desk extends EventEmitter {
  async subscribe(_channel: string): Promise<number> {
    this.send('seen', 0);
    return 1;
  }

  override on(event: string, listener: (...parameters: never[]) => void): this {
    if (event === 'message') this.send('approved', 20);
    return super.on(event, listener as () => void);
  }

  private send(text: string, delayMs: number): void {
    if (isOpen) setTimeout(() => this.emit('message', 'orders', text), delayMs);
  }
}

const announces = (): Announcements => ({ events: ['message'], isOf: () => true });
const note = tool('note', async (text: string) => {
  await delay(2);
  return `noted ${text}`;
});
const think = tool('think', async (ms: number) => {
  await delay(ms);
  return 'thought';
});

const seller = agent('seller', async () => {
  const desk = boundary.client(new Desk(), { kind: 'database', name: 'desk', methods: { subscribe: { announces } } });
  const approved = Promise.withResolvers<string>();
  const hear = async (_: string, text: string): Promise<void> => {
    log.push(work.notes ? await note(text) : text);
    if (text === 'approved') approved.resolve(text);
  };
  await desk.subscribe('orders');
  // Work of its own: what comes later must not come before it.
  await readFile(import.meta.filename);
  log.push(await think(20));
  if (work.listens) desk.on('message', hear);
  const late = delay(work.patienceMs, 'late');
  log.push(await Promise.race([approved.promise, late]));
  return log.at(-1);
});

async function during<Result>(changed: Partial<Work>, act: () => Promise<Result>): Promise<Result> {
  work = { ...unchanged, ...changed };
  log = [];
  try {
    return await act();
  } finally {
    work = unchanged;
  }
}

function replayed(recording: Recording, changed: Partial<Work>): Promise<ReplayResult<unknown>> {
  return during(changed, () => replay({ recording, run: () => seller() }));
}

function placesOf({ divergences }: ReplayResult<unknown>): unknown[] {
  return divergences.map(({ kind, path }) => [kind, path]);
}

let recording: Recording;
let recordedLog: string[];
beforeAll(async () => {
  context.setGlobalContextManager(new AsyncLocalStorageContextManager().enable());
  isOpen = true;
  recording = await during({}, () => recordRun(() => seller()));
  isOpen = false;
  recordedLog = log;
});

afterAll(() => context.disable());

describe('what a subscription was told', () => {
  const told = 'agent:seller/database:desk.subscribe/database:desk.message';

  it('is told again at its place, and handled as it was', async () => {
    expect(recordedLog).toEqual(['thought', 'noted approved', 'approved']);
    expect([recording.replayability.verdict, recording.crossings.map(({ path }) => path)]).toEqual([
      'full',
      ['agent:seller', 'agent:seller/database:desk.subscribe', told, `${told}/tool:note`, 'agent:seller/tool:think'],
    ]);
    for (let round = 0; round < 5; round += 1) {
      const report = await replayed(recording, {});
      expect(report).toMatchObject({ verdict: 'reproduced', divergences: [] });
      expect(log).toEqual(recordedLog);
    }
  });

  it.each<[string, Partial<Work>, unknown[]]>([
    ['calls nothing about it any more', { notes: false }, [['unconsumed', `${told}/tool:note`]]],
    [
      'no longer listens',
      { listens: false },
      [
        ['unconsumed', told],
        ['outcome-changed', 'agent:seller'],
      ],
    ],
    [
      'is less patient',
      { patienceMs: 5 },
      [
        ['unconsumed', told],
        ['outcome-changed', 'agent:seller'],
      ],
    ],
  ])('is told where the agent %s', async (_, changed, places) => {
    expect(placesOf(await replayed(recording, changed))).toEqual(places);
  });
});
