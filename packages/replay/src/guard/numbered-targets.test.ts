import { type ChildProcess, execFileSync, execSync, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { context as contexts } from '@opentelemetry/api';
import { AsyncLocalStorageContextManager } from '@opentelemetry/context-async-hooks';
import { OwnProcesses, renumber, withPosition } from '@reenact/instrumentation';
import { buildRecording } from '@reenact/recordings/testing';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { playerOf } from '../testdata/replay-of.ts';
import { NOTHING_ALLOWED } from './guard-options.ts';
import { installGuard } from './install-guard.ts';
import { strangersOf } from './numbered-targets.ts';

const recording = buildRecording({ label: 'agent:a', children: [{ label: 'tool:t', input: ['one'], output: 1 }] });
const allowed = { ...NOTHING_ALLOWED, allowPrograms: ['kill', 'ps', 'sleep'] };
const recordedNumber = 5_000_001;
let child: ChildProcess;

beforeEach(() => contexts.setGlobalContextManager(new AsyncLocalStorageContextManager().enable()));
afterEach(() => {
  child?.kill('SIGKILL');
  contexts.disable();
});

/** Does `work` inside a replay that lets these programs run, and gives what was refused there. */
async function guardedly(work: () => unknown): Promise<readonly string[]> {
  const { player, sink } = playerOf(recording);
  const remove = installGuard({ player, scope: 'context', allowed });
  const position = { player, cursor: recording.roots[0]?.spanId };
  try {
    await contexts.with(withPosition(contexts.active(), position), async () => void (await work()));
  } finally {
    remove();
  }
  return sink.events.flatMap(({ event }) =>
    event.type === 'divergence' && event.kind === 'forbidden' ? [event.message] : [],
  );
}

describe.runIf(process.platform !== 'win32')('a program that ends others by their numbers, and may run', () => {
  it.each([
    ['execFileSync', () => execFileSync('kill', ['-KILL', String(recordedNumber)])],
    ['execSync', () => execSync(`kill -KILL ${recordedNumber}`)],
    ['spawnSync', () => spawnSync('kill', ['-s', 'KILL', '--', String(recordedNumber)])],
  ])('reaches what the program knows by a recorded number: %s', async (_, kill) => {
    const refused = await guardedly(async () => {
      child = spawn('sleep', ['600']);
      renumber(child, recordedNumber);
      const exited = once(child, 'exit');
      kill();
      expect((await exited)[1]).toBe('SIGKILL');
    });
    expect(refused).toEqual([]);
  });

  it('reaches nobody else, whose number may be the recorded one of another', async () => {
    const { ppid } = process;
    const refused = await guardedly(() => {
      expect(() => execFileSync('kill', ['-WINCH', String(ppid)])).toThrow(
        expect.objectContaining({ code: 'replay-refused' }),
      );
    });
    expect(refused).toEqual([expect.stringContaining(`child_process.execFileSync process ${ppid} was refused`)]);
  });

  it('is told of by its number as it is: ps', async () => {
    let told = '';
    await guardedly(() => {
      child = spawn('sleep', ['600']);
      renumber(child, recordedNumber);
      told = spawnSync('ps', ['-o', 'comm=', '-p', String(recordedNumber)], { encoding: 'utf8' }).stdout;
    });
    expect(told.trim()).toBe('sleep');
  });
});

it.each([
  [['kill', '-9', '1'], [1]],
  [['/bin/kill', '-s', '9', '--', '-1'], [1]],
  [['kill', '-1'], []],
  [['kill', '-0', String(process.pid)], []],
  [['echo', '1'], []],
] as const)('whom of somebody else %j would end', ([program, ...words], strangers) => {
  expect(strangersOf([program, ...words], new OwnProcesses())).toEqual(strangers);
});
