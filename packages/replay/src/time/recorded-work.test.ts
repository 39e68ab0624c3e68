import { randomFill } from 'node:crypto';
import { readFile } from 'node:fs';
import { promisify } from 'node:util';
import { context } from '@opentelemetry/api';
import { AsyncLocalStorageContextManager } from '@opentelemetry/context-async-hooks';
import { tool } from '@reenact/instrumentation';
import type { RecordedDraws } from '@reenact/trace-model';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import type { CrossingPlan } from '../testdata/recording-builder.ts';
import { VIRTUAL_RUN_START, virtualRun } from '../testdata/virtual-run.ts';

beforeAll(() => {
  context.setGlobalContextManager(new AsyncLocalStorageContextManager().enable());
});

afterAll(() => {
  context.disable();
});

const call = tool('call', async () => 'live', { effect: 'read' });
const file = new URL(import.meta.url);
const children: CrossingPlan[] = [
  { label: 'tool:call', input: [], output: 'served', effect: 'read', startUs: 0, endUs: 40_000, settled: 0 },
];

/** What was refused, or called back at once, before anything was numbered, and then what ended as the event after the call. */
const atOnceThenLater = [0, -1, VIRTUAL_RUN_START * 1_000, 0, 1, 60_000];
const laterOnly = [0, 1, VIRTUAL_RUN_START * 1_000 + 60_000];

function working(name: string, triples: number[]): RecordedDraws {
  return { work: { [name]: triples } };
}

describe('work that was over when its function returned', () => {
  it('is refused at once again, and takes the place of nothing', async () => {
    const { value } = await virtualRun(
      async () => {
        const seen: string[] = [];
        try {
          readFile(undefined as never, () => seen.push('called back'));
        } catch (thrown) {
          seen.push((thrown as Error).name);
        }
        const reading = promisify(readFile)(file).then(() => seen.push('read'));
        await Promise.all([reading, call().then((given) => seen.push(given))]);
        return seen;
      },
      { children, draws: working('fs.readFile', atOnceThenLater) },
    );
    expect(value).toEqual(['TypeError', 'served', 'read']);
  });

  it('calls back at once again', async () => {
    const { value } = await virtualRun(
      async () => {
        const seen: string[] = [];
        randomFill(new Uint8Array(0), () => seen.push('nothing filled'));
        seen.push('returned');
        const filling = promisify(randomFill<Uint8Array>)(new Uint8Array(8)).then(() => seen.push('filled'));
        await Promise.all([filling, call().then((given) => seen.push(given))]);
        return seen;
      },
      { children, draws: working('crypto.randomFill', atOnceThenLater) },
    );
    expect(value).toEqual(['nothing filled', 'returned', 'served', 'filled']);
  });
});

describe('work that is refused when its turn has come', () => {
  it('fails to its callback: whoever called it has gone on', async () => {
    const { value } = await virtualRun(
      async () => {
        const failing = new Promise((resolve) => {
          readFile(undefined as never, (error) => resolve([error?.name, new Error('here').stack?.includes('reenact')]));
        });
        return [await call(), await failing];
      },
      { children, draws: working('fs.readFile', laterOnly) },
    );
    expect(value).toEqual(['served', ['TypeError', false]]);
  });

  it('is told once what its callback throws that is called at once', async () => {
    const thrown: unknown[] = [];
    const listeners = process.listeners('uncaughtException');
    process.removeAllListeners('uncaughtException');
    process.on('uncaughtException', (error) => thrown.push(error));
    let calls = 0;
    try {
      const filling = (): Promise<unknown> =>
        new Promise((resolve) => {
          randomFill(new Uint8Array(0), () => {
            calls += 1;
            resolve(calls);
            throw new Error('of the agent');
          });
        });
      const options = { children, draws: working('crypto.randomFill', laterOnly) };
      await virtualRun(() => Promise.all([filling(), call()]), options);
      await vi.waitFor(() => expect(thrown).toEqual([new Error('of the agent')]), { timeout: 10_000 });
    } finally {
      process.removeAllListeners('uncaughtException');
      for (const listener of listeners) process.on('uncaughtException', listener);
    }
    expect(calls).toBe(1);
  });
});
