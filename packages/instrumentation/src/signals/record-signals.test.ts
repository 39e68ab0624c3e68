import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { promisify } from 'node:util';
import { ATTR_REENACT_SETTLED } from '@reenact/semconv/reenact';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { agent, tool } from '../index.ts';
import { PatchSet } from '../patching/patch-set.ts';
import { RecordingHost } from '../testdata/recording-host.ts';
import { recordSignals } from './record-signals.ts';

const SIGNAL = 'SIGUSR2';
const step = tool('step', async (name: string) => name);

let host: RecordingHost;
let patches: PatchSet;
let stop: () => void;

beforeEach(() => {
  host = new RecordingHost();
  patches = new PatchSet();
  stop = recordSignals(patches);
});

afterEach(async () => {
  process.removeAllListeners(SIGNAL);
  stop();
  patches.restore();
  await host.stop();
});

/** Has another process send a signal to this one. */
async function signalled(): Promise<void> {
  const heard = once(process, SIGNAL);
  await promisify(execFile)('kill', ['-USR2', `${process.pid}`]);
  await heard;
}

/** Recorded spans but those of the runs themselves, in the order in which they ended. */
async function recordedNames(): Promise<string[]> {
  const spans = (await host.recorded()).filter(({ attributes }) => attributes[ATTR_REENACT_SETTLED] !== undefined);
  const sorted = spans.toSorted(
    (left, right) => Number(left.attributes[ATTR_REENACT_SETTLED]) - Number(right.attributes[ATTR_REENACT_SETTLED]),
  );
  return sorted.map(({ name }) => name).filter((name) => !name.startsWith('invoke_agent'));
}

describe('a signal that reaches a listener while a run goes on', () => {
  it('is recorded in it, before everything that is done about it', async () => {
    process.on(SIGNAL, () => void step('handler'));
    const run = agent('run', async () => {
      await step('before');
      await signalled();
      await step('after');
    });
    await run();
    expect(await recordedNames()).toEqual([
      'execute_tool step',
      `message ${SIGNAL}`,
      'execute_tool step',
      'execute_tool step',
    ]);
    const traces = new Set((await host.recorded()).map((span) => span.spanContext().traceId));
    expect(traces.size).toBe(1);
  });

  it('is recorded in each of several, at the same time, and what is done about it in none', async () => {
    const done: Promise<string>[] = [];
    process.on(SIGNAL, () => done.push(step('handler')));
    const gate = Promise.withResolvers<void>();
    const run = agent('run', () => gate.promise);
    const runs = [run(), run()];
    await signalled();
    gate.resolve();
    await Promise.all([...runs, ...done]);
    const spans = await host.recorded();
    const signals = spans.filter(({ name }) => name === `message ${SIGNAL}`);
    expect(new Set(signals.map((span) => span.spanContext().traceId)).size).toBe(2);
    expect(signals[0]?.startTime).toEqual(signals[1]?.startTime);
    const ofTool = spans.find(({ name }) => name === 'execute_tool step')?.spanContext().traceId;
    expect(signals.map((span) => span.spanContext().traceId)).not.toContain(ofTool);
  });

  it('is not recorded where the program emits it or sends it itself, for it does so in a replay, too', async () => {
    let count = 0;
    process.on(SIGNAL, () => {
      count += 1;
    });
    const run = agent('run', async () => {
      process.emit(SIGNAL, SIGNAL);
      const heard = once(process, SIGNAL);
      process.kill(process.pid, SIGNAL);
      await heard;
    });
    await run();
    expect(count).toBe(2);
    expect(await recordedNames()).toEqual([]);
  });

  it('is recorded where the program has sent the like to a group of others before', async () => {
    const child = spawn(process.execPath, ['-e', 'setInterval(() => {}, 1_000)'], { detached: true });
    const run = agent('run', async () => {
      process.on(SIGNAL, () => undefined);
      process.kill(-(child.pid ?? 0), SIGNAL);
      await once(child, 'exit');
      await signalled();
    });
    await run();
    expect(await recordedNames()).toEqual([`message ${SIGNAL}`]);
  });

  it('is recorded once where a listener emits another', async () => {
    process.on(SIGNAL, () => process.emit('SIGHUP', 'SIGHUP'));
    await agent('run', signalled)();
    expect(await recordedNames()).toEqual([`message ${SIGNAL}`]);
  });
});

describe('recording signals', () => {
  it('is no listener, and changes nothing of those that are there', async () => {
    const heard: unknown[][] = [];
    expect([process.listenerCount(SIGNAL), process.eventNames().includes(SIGNAL)]).toEqual([0, false]);
    process.once(SIGNAL, (...given) => heard.push(['once', ...given]));
    process.prependListener(SIGNAL, (...given) => heard.push(['first', ...given]));
    expect(process.listenerCount(SIGNAL)).toBe(2);
    await signalled();
    await signalled();
    const number = process.platform === 'linux' ? 12 : 31;
    const both = [SIGNAL, number];
    expect(heard).toEqual([
      ['first', ...both],
      ['once', ...both],
      ['first', ...both],
    ]);
    expect(process.listenerCount(SIGNAL)).toBe(1);
    expect(await recordedNames()).toEqual([]);
  });

  it('is undone without a trace', () => {
    const now = (): unknown => ['emit', 'kill'].map((key) => Object.getOwnPropertyDescriptor(process, key));
    stop();
    patches.restore();
    const before = now();
    patches = new PatchSet();
    stop = recordSignals(patches);
    expect(now()).not.toEqual(before);
    stop();
    patches.restore();
    expect(now()).toEqual(before);
  });
});
