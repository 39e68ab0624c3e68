import { context } from '@opentelemetry/api';
import { AsyncLocalStorageContextManager } from '@opentelemetry/context-async-hooks';
import { agent, tool } from '@reenact/instrumentation';
import { buildRecording } from '@reenact/recordings/testing';
import type { Recording } from '@reenact/trace-model';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { replay } from './replay.ts';

beforeAll(() => {
  context.setGlobalContextManager(new AsyncLocalStorageContextManager().enable());
});

afterAll(() => {
  context.disable();
});

let liveCalls = 0;
const add = tool('add', async (number: number) => {
  liveCalls += 1;
  return `live ${number}`;
});
const adder = agent('adder', async (start: number) => {
  const parallel = await Promise.all([add(start), add(start), add(start + 1)]);
  return [...parallel, await add(start)].join();
});

function recordingOf(run: number): Recording {
  const call = (place: number, input: number, startUs: number, endUs: number) =>
    ({ label: 'tool:add', input: [input], output: `run ${run} call ${place}`, startUs, endUs }) as const;
  return buildRecording({
    label: 'agent:adder',
    input: [7],
    output: [0, 1, 2, 3].map((place) => `run ${run} call ${place}`).join(),
    startUs: 0,
    endUs: 1_000,
    children: [call(0, 7, 10, 300), call(1, 7, 10, 200), call(2, 8, 10, 100), call(3, 7, 400, 500)],
  });
}

describe('a hundred replays in one process', () => {
  it('never get what belongs to another', async () => {
    const runs = Array.from({ length: 100 }, (_, run) => run);
    const reports = await Promise.all(
      runs.map((run) => replay({ recording: recordingOf(run), run: () => adder(7), process: 'shared' })),
    );
    reports.forEach((report, run) => {
      expect(report.divergences).toEqual([]);
      expect(report).toMatchObject({ exitCode: 0, value: [0, 1, 2, 3].map((at) => `run ${run} call ${at}`).join() });
    });
    expect(liveCalls).toBe(0);
  });
});

describe('a shared process', () => {
  it('serves the replay and leaves other traffic alone', async () => {
    liveCalls = 0;
    const [report, traffic] = await Promise.all([
      replay({ recording: recordingOf(1), run: () => adder(7), process: 'shared' }),
      adder(100),
    ]);
    expect(traffic).toBe('live 100,live 100,live 101,live 100');
    expect(report).toMatchObject({ verdict: 'reproduced', process: 'shared', counts: { stubbed: 4 } });
    expect(report.notes.join()).toContain('shared');
    expect(liveCalls).toBe(4);
  });
});

/** A call queue that loses the context of who asked, as connection pools and event emitters do. */
class ContextLosingQueue {
  private readonly waiting: (() => void)[] = [];
  private wake: () => void = () => undefined;

  constructor() {
    void this.serve();
  }

  private async serve(): Promise<void> {
    for (;;) {
      await new Promise<void>((resolve) => {
        this.wake = resolve;
      });
      for (const task of this.waiting.splice(0)) task();
    }
  }

  run<Value>(task: () => Promise<Value>): Promise<Value> {
    return new Promise((resolve, reject) => {
      this.waiting.push(() => task().then(resolve, reject));
      this.wake();
    });
  }
}

const queue = new ContextLosingQueue();
const losing = agent('adder', async (start: number) => queue.run(() => add(start)));

function losingRecording(): Recording {
  return buildRecording({
    label: 'agent:adder',
    input: [7],
    output: 'recorded',
    children: [{ label: 'tool:add', input: [7], output: 'recorded' }],
  });
}

describe('lost context', () => {
  it('never runs a call live in a dedicated replay', async () => {
    liveCalls = 0;
    const report = await replay({ recording: losingRecording(), run: () => losing(7) });
    expect(report).toMatchObject({ verdict: 'reproduced', value: 'recorded' });
    const refused = await replay({
      recording: losingRecording(),
      run: () => queue.run(() => tool('x', async () => 1)()),
    });
    expect(refused.error).toMatchObject({ code: 'replay-refused' });
    expect(liveCalls).toBe(0);
  });

  it('is refused, not guessed, while several dedicated replays go on', async () => {
    liveCalls = 0;
    const reports = await Promise.all([1, 2].map(() => replay({ recording: losingRecording(), run: () => losing(7) })));
    for (const report of reports) {
      expect(report.exitCode).toBe(2);
      expect(report.notes.join()).toContain('outside every context');
    }
    expect(liveCalls).toBe(0);
  });

  it('leaves the process as it was afterwards', async () => {
    expect(await queue.run(() => add(5))).toBe('live 5');
  });
});
