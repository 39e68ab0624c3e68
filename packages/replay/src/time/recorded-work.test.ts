import { execFileSync } from 'node:child_process';
import { randomFill } from 'node:crypto';
import { mkdtempSync, promises, readFile, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { context } from '@opentelemetry/api';
import { AsyncLocalStorageContextManager } from '@opentelemetry/context-async-hooks';
import { tool } from '@reenact/instrumentation';
import type { CrossingPlan } from '@reenact/recordings/testing';
import type { RecordedDraws } from '@reenact/trace-model';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { WORK_GIVEN_UP_MAX } from '../limits.ts';
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

/** What a pipe with a name was read and written for, in the order in which both ended; each waits until the other has begun. */
async function throughPipe(path: string): Promise<string[]> {
  const ended: string[] = [];
  const reading = promises.readFile(path, 'utf8').then((text) => ended.push(text));
  await promises.writeFile(path, 'written').then(() => ended.push('writing'));
  await reading;
  return ended;
}

/** Of one such pipe after the other: the writing ended first, and its reading next. */
function pipeDraws(pipes: number): RecordedDraws {
  const place = (pipe: number, order: number): number[] => [2 * pipe, order, VIRTUAL_RUN_START * 1_000 + order];
  const each = Array.from({ length: pipes }, (_, pipe) => pipe);
  return {
    work: {
      'fs.promises.readFile': each.flatMap((pipe) => place(pipe, 2 * pipe + 1)),
      'fs.promises.writeFile': each.flatMap((pipe) => place(pipe, 2 * pipe)),
    },
  };
}

describe.skipIf(process.platform === 'win32')('work that waits for what was recorded to end after it', () => {
  it('is not waited for for ever, and at some time no longer at all, which is told', { timeout: 120_000 }, async () => {
    const folder = mkdtempSync(join(tmpdir(), 'reenact-pipes-'));
    const paths = Array.from({ length: WORK_GIVEN_UP_MAX + 1 }, (_, index) => join(folder, `pipe-${index}`));
    execFileSync('mkfifo', paths);
    try {
      const { value, notes } = await virtualRun(
        async () => {
          const seen: string[][] = [];
          for (const path of paths) seen.push(await throughPipe(path));
          return seen;
        },
        { draws: pipeDraws(paths.length) },
      );
      expect(value?.map((ended) => ended.toSorted())).toEqual(paths.map(() => ['writing', 'written']));
      expect(notes.join()).toContain('ended in another order');
    } finally {
      rmSync(folder, { recursive: true });
    }
  });
});
