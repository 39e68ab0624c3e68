import { spawn } from 'node:child_process';
import { once } from 'node:events';
import os, { getPriority, setPriority } from 'node:os';
import { context, ROOT_CONTEXT } from '@opentelemetry/api';
import { AsyncLocalStorageContextManager } from '@opentelemetry/context-async-hooks';
import { PatchSet, tool } from '@reenact/instrumentation';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { virtualRun } from '../../testdata/virtual-run.ts';
import { patchProcessId } from './patch-process-id.ts';

beforeAll(() => void context.setGlobalContextManager(new AsyncLocalStorageContextManager().enable()));
afterAll(() => context.disable());

const real = process.pid;
/** No process has it: the largest number that Linux gives is 4,194,304. */
const recorded = 5_000_001;

it('the number of the process is the recorded one inside the replay, beside it the real one, and as it was behind it', async () => {
  const before = Object.getOwnPropertyDescriptor(process, 'pid');
  const { value } = await virtualRun(() => [process.pid, context.with(ROOT_CONTEXT, () => process.pid)], {
    processId: recorded,
  });
  expect(value).toEqual([recorded, real]);
  expect(Object.getOwnPropertyDescriptor(process, 'pid')).toEqual(before);
});

it('the number of the process that started it is the recorded one, which reaches that still', async () => {
  const { ppid } = process;
  const { value } = await virtualRun(() => [process.ppid, process.kill(process.ppid, 0)], {
    parentProcessId: recorded,
  });
  expect(value).toEqual([recorded, true]);
  expect((await virtualRun(() => process.ppid)).value).toBe(ppid);
  expect(process.ppid).toBe(ppid);
});

it('the number of the process that started the first one of a container is 0, by which its own group is reached', async () => {
  const { value } = await virtualRun(() => [process.ppid, process.kill(process.ppid, 0)], { parentProcessId: 0 });
  expect(value).toEqual([0, true]);
});

it('reaches this process under that number', async () => {
  const { value } = await virtualRun(
    () => {
      const priority = getPriority(process.pid);
      setPriority(process.pid, priority);
      return [process.kill(process.pid, 0), priority === os.getPriority(real)];
    },
    { processId: recorded },
  );
  expect(value).toEqual([true, true]);
});

it('takes a priority that is given alone for no number of a process', async () => {
  // The least that anybody may ask for: it cannot always be taken back.
  const priority = Math.min(os.getPriority() + 1, os.constants.priority.PRIORITY_LOW);
  await virtualRun(() => os.setPriority(priority), { processId: priority });
  const taken = os.getPriority();
  if (process.getuid?.() === 0) os.setPriority(priority - 1);
  expect(taken).toBe(priority);
});

it('is real where the recording does not say it, and in code that runs live', async () => {
  const { value } = await virtualRun(() => process.pid);
  const lock = tool('lock', async () => process.pid);
  const children = [{ label: 'tool:lock', input: [], output: 7, startUs: 10, endUs: 20 }] as const;
  const live = await virtualRun(() => lock(), { processId: recorded, children, live: ['tool:lock'] });
  expect([value, live.value]).toEqual([real, real]);
});

it('leaves a process that it has started to those who mean it by the recorded number', async () => {
  const patches = new PatchSet();
  const nobody = recorded;
  const here = { time: { processId: () => nobody, realProcessId: () => nobody }, position: undefined };
  const stop = patchProcessId(patches, { here: () => here } as never);
  const child = spawn(process.execPath, ['--eval', 'setInterval(() => undefined, 1_000)']);
  try {
    expect(process.kill(child.pid ?? 0, 0)).toBe(true);
    child.kill();
    await once(child, 'exit');
    expect(() => process.kill(child.pid ?? 0, 0)).toThrow(/ESRCH/);
  } finally {
    stop();
    patches.restore();
  }
});
