import { ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { recordedDrawsSchema } from '@reenact/trace-model/reading';
import { afterEach, expect, it } from 'vitest';
import { agent } from '../boundary/boundaries.ts';
import { recordedFacts } from '../testing/recorded-facts.ts';
import { installDrawRecording } from './install-draw-recording.ts';

const recorded = recordedFacts();
let uninstall = (): void => undefined;

afterEach(() => uninstall());

it('keeps the number of each process that a run starts, in the order of starts, and that one could not be', async () => {
  uninstall = installDrawRecording({ environment: {} });
  const script = ['-e', ''];
  const numbers = await agent('starting', async () => {
    const child = spawn(process.execPath, script);
    const missing = spawn('/no/such/program');
    const waited = spawnSync(process.execPath, script);
    await Promise.all([once(child, 'exit'), once(missing, 'error')]);
    return [child.pid, null, waited.pid];
  })();
  const draws = recordedDrawsSchema.parse(JSON.parse(recorded[0]?.draws ?? '{}'));
  expect(draws['child_process.pid']?.map((text) => JSON.parse(text))).toEqual(numbers);
});

it('keeps which signals a run sends to what it has started, however it does, and no question whether that is there', async () => {
  uninstall = installDrawRecording({ environment: {} });
  const numbers = await agent('signalling', async () => {
    const lasting = ['-e', 'setInterval(() => {}, 1_000)'];
    const children = [0, 1, 2, 3].map(() => spawn(process.execPath, lasting, { detached: true }));
    const pids = children.map(({ pid = 0 }) => pid);
    const [first, second, third] = pids;
    process.kill(first ?? 0, 0);
    children[0]?.kill();
    process.kill(-(second ?? 0), 2);
    // Node.js takes nothing at all for SIGTERM, and names of any case where a process is asked to end its child.
    Reflect.apply(process.kill, process, [third, null]);
    Reflect.apply(ChildProcess.prototype.kill, children[3], ['sighup']);
    await Promise.all(children.map((child) => once(child, 'exit')));
    children[0]?.kill();
    return pids;
  })();
  const facts = recorded.findLast(({ boundary }) => boundary.name === 'signalling');
  const draws = recordedDrawsSchema.parse(JSON.parse(facts?.draws ?? '{}'));
  expect(draws['child_process.kill']?.map((text) => JSON.parse(text))).toEqual([
    [numbers[0], 'SIGTERM'],
    [numbers[1], 'SIGINT'],
    [numbers[2], 'SIGTERM'],
    [numbers[3], 'SIGHUP'],
  ]);
});
