import { readFileSync } from 'node:fs';
import { Readable } from 'node:stream';
import { context } from '@opentelemetry/api';
import { AsyncLocalStorageContextManager } from '@opentelemetry/context-async-hooks';
import { CANONICAL_POLICIES, decodeValue, INPUT_DELIVERY_NAME, type InputPiece } from '@reenact/trace-model';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { agent, tool } from '../boundary/boundaries.ts';
import type { CrossingFacts } from '../gate/crossing-facts.ts';
import { admit, gate } from '../index.ts';
import { INPUT_BYTES_MAX, INPUT_PART_BYTES } from '../limits.ts';
import { PatchSet } from '../patching/patch-set.ts';
import { replaceProperty } from '../patching/replace-property.ts';
import { beforeRun } from '../run/before-run.ts';
import { heldInput } from '../run/held-input.ts';
import { InputTape } from './input-tape.ts';
import { watchInput } from './watch-input.ts';

class Terminal extends Readable {
  isTTY = false;
  isRaw = false;
  override _read(): void {
    // What comes is pushed by the tests.
  }
}

const step = tool('step', async (name: string) => name);

let recorded: CrossingFacts[];
let stdin: Terminal;
let tape: InputTape;
let patches: PatchSet;
let opened = 0;
let giveBack = (): void => undefined;

beforeAll(() => {
  context.setGlobalContextManager(new AsyncLocalStorageContextManager().enable());
});

beforeEach(() => {
  recorded = [];
  opened = 0;
  stdin = new Terminal();
  tape = new InputTape();
  patches = new PatchSet();
  gate.configure({ recorder: { record: (facts) => recorded.push(facts) } });
  const open = (): object => {
    opened += 1;
    return stdin;
  };
  giveBack = replaceProperty(process, 'stdin', { get: open, configurable: true, enumerable: true });
  beforeRun.begins = (run) => tape.begins(run);
  watchInput(patches, { isRecorded: true, tape });
});

afterEach(() => {
  delete beforeRun.begins;
  heldInput.hand = undefined;
  patches.restore();
  giveBack();
  gate.configure({ recorder: undefined });
});

afterAll(() => context.disable());

/** What has ended, in that order: names of boundaries, and the pieces of input. */
function ended(): unknown[] {
  return recorded.map(({ boundary, input }) =>
    boundary.name === INPUT_DELIVERY_NAME && input?.payload !== undefined
      ? (decodeValue(input.payload) as InputPiece[]).map(({ timeMs, uptimeMs, ...piece }) => piece)
      : boundary.name,
  );
}

describe('what the stream of standard input gives', () => {
  it('is recorded in the run that goes on, at its place, before the program has it, and nothing is opened for that', async () => {
    expect(opened).toBe(0);
    const run = agent('run', async () => {
      await step('first');
      const read = new Promise<string>((resolve) => process.stdin.once('data', (bytes) => resolve(String(bytes))));
      stdin.push('Grüße\n');
      expect(ended()).toEqual(['step', [{ place: 0, data: 'Grüße\n' }]]);
      expect(await read).toBe('Grüße\n');
      await step('last');
    });
    await run();
    expect(ended().slice(2)).toEqual(['step', 'run']);
    expect(process.stdin).toBe(stdin);
    expect(Object.keys(stdin)).not.toContain('push');
  });

  it('is recorded in the next run where it came before it or between two, its end, too', async () => {
    process.stdin.resume();
    stdin.push('one');
    stdin.push(Uint8Array.of(0xff, 0xfe));
    expect(tape.isWaiting).toBe(true);
    await agent('first', async () => undefined)();
    expect([tape.isWaiting, tape.isCut]).toEqual([false, false]);
    stdin.push(null);
    await agent('second', async () => undefined)();
    expect(ended()).toEqual([
      [
        { place: 0, data: 'one', isBefore: true },
        { place: 1, data: Buffer.of(0xff, 0xfe), isBefore: true },
      ],
      'first',
      [{ place: 2, isBefore: true }],
      'second',
    ]);
  });

  it('is recorded in each of several runs', async () => {
    process.stdin.resume();
    const hold = Promise.withResolvers<void>();
    const run = agent('run', () => hold.promise);
    const runs = [run(), run()];
    stdin.push('both');
    hold.resolve();
    await Promise.all(runs);
    const [first, second] = recorded;
    expect(ended().slice(0, 2)).toEqual([[{ place: 0, data: 'both' }], [{ place: 0, data: 'both' }]]);
    expect(first?.startTime).toEqual(second?.startTime);
    expect(first?.spanContext.traceId).not.toBe(second?.spanContext.traceId);
  });
});

describe('much of what the stream of standard input gives', () => {
  it('is redacted as one where it comes in parts', async () => {
    process.stdin.resume();
    const secret = `sk-proj-${'aB3dE6gH9jK2mN5pQ8sT'}`;
    const text = `${' '.repeat(INPUT_PART_BYTES - 10)}${secret} and so on`;
    stdin.push(text.slice(0, INPUT_PART_BYTES));
    stdin.push(text.slice(INPUT_PART_BYTES));
    await agent('run', async () => undefined)();
    const [[piece] = []] = ended() as InputPiece[][];
    expect(String(piece?.data).trim()).toMatch(/^\[redacted:openai-key:[0-9a-f]+\] and so on$/);
  });

  it('is lacking in requests, and in runs behind more than is kept', async () => {
    process.stdin.resume();
    stdin.push('one');
    const admission = admit({
      boundary: {
        kind: 'agent',
        name: 'GET /',
        effect: 'write',
        capture: 'full',
        policy: CANONICAL_POLICIES.httpEntry,
      },
      input: [],
      call: 'sync',
      span: { name: 'GET /', kind: 'server' },
    });
    if (admission.type === 'run') admission.crossing.settle({ type: 'returned', value: undefined });
    expect(ended()).toEqual(['GET /']);
    stdin.push(Buffer.alloc(INPUT_BYTES_MAX));
    await agent('run', async () => undefined)();
    expect(ended()).toEqual(['GET /', 'run']);
    expect(tape.isCut).toBe(true);
  });
});

describe('keys at a terminal', () => {
  beforeEach(() => {
    stdin.isTTY = true;
    stdin.isRaw = true;
    process.stdin.resume();
  });

  function hit(keys: string): void {
    for (const key of keys) stdin.push(key);
  }

  it('are recorded by the line, so that a secret is found that was typed', async () => {
    hit(`sk-proj-${'aB3dE6gH9jK2mN5pQ8sT'}\r`);
    await agent('run', async () => undefined)();
    const [[piece] = []] = ended() as InputPiece[][];
    expect(piece?.data).toMatch(/^\[redacted:openai-key:[0-9a-f]+\]\r$/);
  });

  it.each([
    ['', (secret: string) => secret],
    [', and was mended while it was typed', (secret: string) => `wrong\u0015x\u007f${secret}\u001b[D\u001b[C`],
  ])('are redacted whole where a secret was asked for%s, also where the program hands that on', async (_, keysOf) => {
    const secret = `hunter-${process.pid}`;
    tape.read({
      ...{ bytes: Buffer.from(`${keysOf(secret)}\r`), isTerminal: true, isShown: true },
      isRaw: true,
      isSecret: true,
      isFile: false,
    });
    await agent('run', (key: string) => step(`key ${key}`))(secret);
    const [delivery, handed, run] = recorded.map(({ input }) => String(input?.payload?.data));
    const token = /\[redacted:named-value:[0-9a-f]+\]/.exec(delivery ?? '')?.[0] ?? 'none';
    expect(handed).toBe(JSON.stringify([`key ${token}`]));
    expect(run).toBe(JSON.stringify([token]));
    expect(recorded.map((facts) => JSON.stringify(facts.input ?? '')).join()).not.toContain(secret);
  });

  it('are recorded before what they lead to, also without a line', async () => {
    const run = agent('run', async () => {
      await step('asked');
      hit('no');
      await step('answered');
      hit('y');
    });
    await run();
    expect(ended()).toEqual([
      'step',
      [{ place: 0, isTerminal: true, data: 'no', keys: [1, 1] }],
      'step',
      [{ place: 1, isTerminal: true, data: 'y' }],
      'run',
    ]);
  });
});

describe('what is read like a file', () => {
  it('is no input where it is another file', async () => {
    readFileSync(import.meta.filename);
    await agent('run', async () => undefined)();
    expect(ended()).toEqual(['run']);
  });
});
