import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { text } from 'node:stream/consumers';
import { PatchSet } from '@reenact/instrumentation';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { TOLD_NUMBER_VARIABLE } from '../../process-variables.ts';
import { patchChildNumbers } from './patch-child-numbers.ts';
import { patchProcessId } from './patch-process-id.ts';

/** No process has it: the largest number that Linux gives is 4,194,304. */
const recorded = 5_000_001;
const lasting = ['--eval', 'console.log(process.pid); setInterval(() => undefined, 1_000)'];

let patches: PatchSet;
let stop: () => void;
let started: number[];
let next: number | 'own' | undefined;

beforeEach(() => {
  patches = new PatchSet();
  const none = (): undefined => undefined;
  const numbers = { processId: none, parentProcessId: none, realProcessId: none };
  const time = { ...numbers, childProcessId: () => next, tellStarted: (number: number) => void started.push(number) };
  const times = { here: () => ({ time, position: undefined }) } as never;
  stop = patchProcessId(patches, times);
  patchChildNumbers(patches, times);
  patches.publish();
  next = recorded;
  started = [];
});

afterEach(() => {
  stop();
  patches.restore();
});

it('a process that is started has the recorded number, which reaches it and nobody else, also when it has ended', async () => {
  const child = spawn(process.execPath, lasting, { detached: true });
  const said = Number(String((await once(child.stdout, 'data'))[0]));
  expect([child.pid, said === recorded, process.kill(recorded, 0)]).toEqual([recorded, false, true]);
  expect(started).toEqual([said]);
  // To its group.
  process.kill(-recorded, 'SIGTERM');
  expect(await once(child, 'exit')).toEqual([null, 'SIGTERM']);
  expect(() => process.kill(recorded, 0)).toThrow(/ESRCH/);
});

it('sends nothing to a process that has the number of an ended one by chance', async () => {
  next = process.ppid;
  const child = spawn(process.execPath, ['--eval', '']);
  await once(child, 'exit');
  expect(child.pid).toBe(process.ppid);
  expect(() => process.kill(process.ppid, 0)).toThrow(/ESRCH/);
});

it('one that is waited for has it, too, and one that cannot be started has none', async () => {
  const missing = spawn('/no/such/program');
  const [waited, notThere] = [spawnSync(process.execPath, ['--eval', '']), spawnSync('/no/such/program')];
  await once(missing, 'error');
  expect([waited.pid, missing.pid, notThere.pid]).toEqual([recorded, undefined, 0]);
});

it.each([
  [recorded, recorded],
  ['own', 0],
] as const)('tells the process that it is known by %s', async (number, told) => {
  next = number;
  const child = spawn(process.execPath, ['--print', `process.env.${TOLD_NUMBER_VARIABLE}`]);
  expect((await text(child.stdout)).trim()).toBe(`${told}.${process.pid}`);
});

it('leaves one as it is of which nothing is recorded', async () => {
  next = undefined;
  const child = spawn(process.execPath, ['--print', `process.pid + ' ' + process.env.${TOLD_NUMBER_VARIABLE}`]);
  const { pid } = child;
  expect((await text(child.stdout)).trim()).toBe(`${pid} undefined`);
});
