import { DatabaseSync } from 'node:sqlite';
import { boundary, tool } from '@reenact/instrumentation';
import { describe, expect, it } from 'vitest';
import type { Peer } from './fidelity-library.ts';
import { recordThenReplay } from './record-then-replay.ts';

/** Nothing is asked over the network. */
const nobody: Peer = { address: '', contacts: 0, stop: async () => undefined };

async function rounds(count: number): Promise<void> {
  for (let left = count; left > 0; left -= 1) await undefined;
}

/** A database in the process with promises in front of it, as `@libsql/client` and PGlite are. */
class PromisedDatabase {
  private readonly database = new DatabaseSync(':memory:');

  async ask(depth: number): Promise<unknown> {
    await rounds(depth);
    return this.database.prepare('SELECT ? AS depth').get(depth)?.depth;
  }

  async refuse(depth: number): Promise<unknown> {
    await rounds(depth);
    return this.database.prepare('SELECT * FROM nowhere').get();
  }
}

type Call = (depth: number) => Promise<unknown>;

/** Chains of calls beside chains of promises of no call; all say how far they are. */
async function sideBySide(calls: Readonly<Record<string, Call>>): Promise<readonly unknown[]> {
  const heard: unknown[] = [];
  const hear = (name: string, step: number): void => void heard.push(`${name} ${step} ${Math.random()}`);
  const chains = Object.entries(calls).map(async ([name, call], index) => {
    for (const step of [0, 1, 2, 3]) {
      await call(index + step * 2).catch(() => undefined);
      hear(name, step);
    }
  });
  const plain = async (): Promise<void> => {
    for (let step = 0; step < 30; step += 1) {
      await rounds(1);
      hear('plain', step);
    }
  };
  await Promise.all([...chains, plain()]);
  return heard;
}

function ofTools(): Readonly<Record<string, Call>> {
  return { first: tool('first', rounds), second: tool('second', async () => undefined) };
}

function ofClient(): Readonly<Record<string, Call>> {
  const definition = { kind: 'database', name: 'promised', methods: { ask: {}, refuse: {} } } as const;
  const client = boundary.client(new PromisedDatabase(), definition);
  return { ask: (depth) => client.ask(depth), refuse: (depth) => client.refuse(depth) };
}

function ofClientThatMakesResultsAgain(): Readonly<Record<string, Call>> {
  const ask = { keep: (value: unknown) => [value], revive: (kept: unknown) => (kept as unknown[])[0] };
  const client = boundary.client(new PromisedDatabase(), { kind: 'database', name: 'promised', methods: { ask } });
  return { ask: (depth) => client.ask(depth) };
}

describe('calls that settle before the event loop turns', () => {
  it.each([
    ['of tools', ofTools],
    ['of a client', ofClient],
    ['of a client whose results are made again', ofClientThatMakesResultsAgain],
  ])('settle in a replay as many rounds of promise reactions after their call: %s', async (_, make) => {
    const calls = make();
    const { recorded, report } = await recordThenReplay(nobody, () => sideBySide(calls), { recordsDraws: true });
    expect(report.value).toEqual(recorded);
    expect(report.divergences).toEqual([]);
    expect(report).toMatchObject({ verdict: 'reproduced', exitCode: 0 });
  });

  it('do so however many rounds that are, beside a loop that turns none either', async () => {
    const search = tool('search', async (depth: number) => {
      await rounds(depth);
      return depth;
    });
    async function* found(): AsyncGenerator<number> {
      for (let part = 1; part < 4; part += 1) {
        await rounds(part * 60);
        yield part;
      }
    }
    const results = tool('results', found);
    const run = async (): Promise<readonly string[]> => {
      const heard: string[] = [];
      const plain = async (): Promise<void> => {
        for (let step = 0; step < 400; step += 1) {
          await rounds(1);
          heard.push(`plain ${step}`);
        }
      };
      const read = async (): Promise<void> => {
        for await (const part of results()) heard.push(`part ${part}`);
      };
      const searched = [200, 90, 310].map(async (depth) => heard.push(`found ${await search(depth)}`));
      await Promise.all([...searched, read(), plain()]);
      return heard;
    };
    const { recorded, report } = await recordThenReplay(nobody, run, { recordsDraws: true });
    expect(report.value).toEqual(recorded);
    expect(report).toMatchObject({ verdict: 'reproduced', exitCode: 0 });
  });

  it('do so where their function had to wait before, and then answers from memory', async () => {
    const kept = new Map<number, number>();
    const look = tool('look', async (depth: number) => {
      if (kept.has(depth)) await rounds(depth);
      else await new Promise((resolve) => setImmediate(resolve));
      kept.set(depth, depth);
      return depth;
    });
    const run = async (): Promise<readonly string[]> => {
      const heard: string[] = [];
      for (const depth of [9, 20]) heard.push(`${await look(depth)}`);
      const plain = async (): Promise<void> => {
        for (let step = 0; step < 40; step += 1) {
          await rounds(1);
          heard.push(`plain ${step}`);
        }
      };
      await Promise.all([...[20, 9].map(async (depth) => heard.push(`kept ${await look(depth)}`)), plain()]);
      return heard;
    };
    const { recorded, report } = await recordThenReplay(nobody, run, { recordsDraws: true });
    expect(report.value).toEqual(recorded);
    expect(report).toMatchObject({ verdict: 'reproduced', exitCode: 0 });
  });
});
