import nodeCrypto, { getRandomValues, randomUUID } from 'node:crypto';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import vm from 'node:vm';
import { context } from '@opentelemetry/api';
import { AsyncLocalStorageContextManager } from '@opentelemetry/context-async-hooks';
import { tool } from '@reenact/instrumentation';
import type { RecordedDraws } from '@reenact/trace-model';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { drawAttributes, VIRTUAL_RUN_START, virtualRun } from '../../testdata/virtual-run.ts';

beforeAll(() => {
  context.setGlobalContextManager(new AsyncLocalStorageContextManager().enable());
});

afterAll(() => {
  context.disable();
});

const base64 = (...bytes: number[]): string => Buffer.from(bytes).toString('base64');
const rolled = (): Promise<number> =>
  new Promise((resolve, reject) => {
    nodeCrypto.randomInt(10, 20, (error, value) => (error === null ? resolve(value) : reject(error)));
  });
const drawn = (size: number): Promise<Buffer> =>
  new Promise((resolve, reject) => {
    nodeCrypto.randomBytes(size, (error, bytes) => (error === null ? resolve(bytes) : reject(error)));
  });

describe('random values that were recorded', () => {
  it('are drawn again, each by its function and in its order', async () => {
    const draws: RecordedDraws = {
      'Math.random': [0.1, 0.2],
      'crypto.randomInt': [4, 17],
      'crypto.randomUUID': ['id 1', 'id 2', 'id 3'],
    };
    const report = await virtualRun(
      async () => [
        Math.random(),
        randomUUID(),
        nodeCrypto.randomInt(6),
        crypto.randomUUID(),
        Math.random(),
        await rolled(),
        nodeCrypto.randomUUID({ disableEntropyCache: true }),
      ],
      { draws },
    );
    expect(report.value).toEqual([0.1, 'id 1', 4, 'id 2', 0.2, 17, 'id 3']);
    expect(report.notes).toEqual([]);
  });

  it('are drawn again where a framework has put a function of its own on `crypto`', async () => {
    Object.defineProperty(crypto, 'randomUUID', { value: crypto.randomUUID.bind(crypto), configurable: true });
    try {
      const draws = { 'crypto.randomUUID': ['id 1', 'id 2'] };
      const { value } = await virtualRun(async () => [crypto.randomUUID(), randomUUID()], { draws });
      expect(value).toEqual(['id 1', 'id 2']);
    } finally {
      Reflect.deleteProperty(crypto, 'randomUUID');
    }
  });

  it('include bytes where those were kept', async () => {
    const draws = {
      'crypto.randomBytes': [
        base64(1, 2),
        base64(3, 4),
        base64(5, 6, 7, 8),
        base64(9),
        base64(8),
        base64(7),
        base64(6, 5),
      ],
    };
    const { value } = await virtualRun(
      async () => [
        [...nodeCrypto.randomBytes(2)],
        [...(await drawn(2))],
        [...crypto.getRandomValues(new Uint16Array(2))],
        [...nodeCrypto.randomFillSync(Buffer.alloc(3), 1, 1)],
        [...nodeCrypto.getRandomValues(new Uint8Array(1))],
        [...getRandomValues(new Uint8Array(1))],
        // As bson does for its ids.
        [...crypto.getRandomValues(Buffer.alloc(2))],
      ],
      { draws },
    );
    expect(value).toEqual([[1, 2], [3, 4], [1_541, 2_055], [0, 9, 0], [8], [7], [6, 5]]);
  });
});

describe('random values that were not recorded', () => {
  const draw = async (): Promise<unknown[]> => [
    Math.random(),
    crypto.randomUUID(),
    nodeCrypto.randomInt(5, 9),
    [...nodeCrypto.randomBytes(4)],
    [...crypto.getRandomValues(new Uint8Array(3))],
  ];

  it('are seeded: the same in every replay of the recording', async () => {
    const [first, second] = [await virtualRun(draw), await virtualRun(draw)];
    expect(first.value).toEqual(second.value);
    expect(first.value?.[2]).toSatisfy((value: number) => value >= 5 && value < 9);
    expect(first.notes.join('\n')).toMatch(/holds no values of Math.random[\s\S]*Random bytes drawn in agent:virtual/);
  });

  it('prove nothing where the run drew less when it was recorded', async () => {
    const children = [{ label: 'tool:t', output: 1 }] as const;
    const t = tool('t', async () => 2);
    const once = async (): Promise<void> => {
      await t();
      Math.random();
    };
    const same = await virtualRun(once, { draws: { 'Math.random': [0.5] }, children });
    expect(same.verdict).toBe('reproduced');
    const more = await virtualRun(once, { draws: {}, children });
    expect(more).toMatchObject({ verdict: 'unverified', exitCode: 2 });
    expect(more.notes.join()).toContain('Math.random was drawn more often in agent:virtual');
  });

  it('prove nothing where UUIDs of a package are among them, which the agent sees', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'reenact-uuid-'));
    try {
      await mkdir(join(folder, 'uuid'));
      const file = join(folder, 'uuid', 'rng.js');
      await writeFile(file, `module.exports = () => [...crypto.getRandomValues(new Uint8Array(16))];`);
      const drawId = createRequire(import.meta.url)(file) as () => number[];
      const id = Array.from({ length: 16 }, (_, index) => index);
      const draws = { 'driver.id': [base64(...id)] };
      const same = await virtualRun(async () => [drawId()], { draws });
      expect([same.value, same.notes]).toEqual([[id], []]);
      const more = await virtualRun(async () => [drawId(), drawId()], { draws });
      expect(more.value?.[0]).toEqual(id);
      expect(more.notes.join()).toContain('A UUID of a package was drawn more often in agent:virtual');
    } finally {
      await rm(folder, { recursive: true });
    }
  });

  it('are refused as the platform refuses them', async () => {
    const { value } = await virtualRun(() =>
      [
        () => nodeCrypto.randomInt(3, 3),
        () => nodeCrypto.randomBytes(-1),
        () => Reflect.apply(crypto.getRandomValues, crypto, [new Float32Array(1)]),
      ].map((call) => {
        try {
          return call();
        } catch (error) {
          return (error as Error).name;
        }
      }),
    );
    expect(value).toEqual(['RangeError', 'RangeError', 'TypeMismatchError']);
  });
});

describe('functions that were taken off `crypto`', () => {
  it('are refused as the platform refuses them, and take nothing of what was recorded', async () => {
    const told = (): unknown[] => {
      const { getRandomValues: bareValues, randomUUID: bareId } = crypto;
      const calls = [() => bareValues(new Uint8Array(2)), () => bareId()];
      return calls.map((call) => {
        try {
          return call();
        } catch (error) {
          return [(error as Error).name, (error as NodeJS.ErrnoException).code, (error as Error).message];
        }
      });
    };
    const ofPlatform = told();
    expect(ofPlatform.every(Array.isArray)).toBe(true);
    const draws = { 'crypto.randomUUID': ['id 1'], 'crypto.randomBytes': [base64(1, 2)] };
    const { value } = await virtualRun(
      async () => [...told(), crypto.randomUUID(), [...crypto.getRandomValues(new Uint8Array(2))]],
      { draws },
    );
    expect(value).toEqual([...ofPlatform, 'id 1', [1, 2]]);
  });
});

describe('code that runs live', () => {
  it('draws what was recorded, then real values: what it makes leaves the replay', async () => {
    const keys: unknown[] = [];
    const make = tool(
      'make',
      async () => {
        keys.push(Math.random(), Math.random(), nodeCrypto.randomBytes(16).toString('hex'));
        return 1;
      },
      { effect: 'read' },
    );
    const live = {
      label: 'tool:make',
      output: 1,
      effect: 'read',
      attributes: drawAttributes({ 'Math.random': [0.25] }),
    } as const;
    for (let round = 0; round < 2; round += 1) {
      await virtualRun(() => make(), { children: [live], live: ['tool:make'] });
    }
    const [first, second, bytes, firstAgain, secondAgain, bytesAgain] = keys;
    expect([first, firstAgain]).toEqual([0.25, 0.25]);
    expect(second).not.toBe(secondAgain);
    expect(bytes).not.toBe(bytesAgain);
  });
});

describe('a context of node:vm, which has a clock and random numbers of its own', () => {
  const code = '[Math.random(), new Date().getTime(), Date.now()]';

  it('gives what was recorded of it', async () => {
    const draws = { 'Math.random': [0.1], Date: [VIRTUAL_RUN_START + 5, 1], 'Date.now': [VIRTUAL_RUN_START + 7, 1] };
    const { value, notes } = await virtualRun(async () => [...vm.runInNewContext(code)], { draws });
    expect(value).toEqual([0.1, VIRTUAL_RUN_START + 5, VIRTUAL_RUN_START + 7]);
    expect(notes).toEqual([]);
  });

  it('keeps its own where a recording of before lacks them', async () => {
    const mark = '/draws/node:vm the clock and the random numbers of code in a context of its own are not recorded';
    const boxed = { label: 'tool:boxed', output: 1, lossy: [mark] } as const;
    const { value = [] } = await virtualRun(async () => [...vm.runInNewContext(code), Math.random()], {
      draws: { 'Math.random': [0.1] },
      children: [boxed],
    });
    expect(value[0]).not.toBe(0.1);
    expect(value[1]).not.toBeLessThan(Date.now() - 60_000);
    expect(value[3]).toBe(0.1);
  });

  it('keeps its own where it cannot be watched, with a note', async () => {
    const draws = { 'Math.random': [0.1] };
    const bare = vm.createContext({ Proxy: undefined });
    const { notes } = await virtualRun(async () => [vm.runInContext('1', bare), vm.runInContext('2', bare)], {
      draws,
    });
    expect(notes).toEqual([expect.stringMatching(/^Code of \S+ ran in a context of node:vm: it saw the real time/)]);
  });

  it('cannot be left by what is thrown where its stack is full', async () => {
    const sandbox = vm.createContext(Object.create(null) as object);
    const leave = (draw: string): string => `(() => {
      let thrown;
      const deep = () => { try { ${draw}; deep(); } catch (error) { thrown ??= error; } };
      deep();
      return thrown.constructor.constructor('return typeof process')();
    })()`;
    const { value } = await virtualRun(
      async () => ['Date.now()', 'new Date()', 'Math.random()'].map((draw) => vm.runInContext(leave(draw), sandbox)),
      { draws: { 'Math.random': [0.1] } },
    );
    expect(value).toEqual(['undefined', 'undefined', 'undefined']);
  });
});
