import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { getPriority, setPriority } from 'node:os';
import { context as contexts } from '@opentelemetry/api';
import { AsyncLocalStorageContextManager } from '@opentelemetry/context-async-hooks';
import { serveProcess, withPosition } from '@reenact/instrumentation';
import { buildRecording } from '@reenact/recordings/testing';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { playerOf } from '../testdata/replay-of.ts';
import { installGuard } from './install-guard.ts';

const recording = buildRecording({ label: 'agent:a', children: [{ label: 'tool:t', input: ['one'], output: 1 }] });
const waiting = 'process.stdin.resume(); console.log(process.pid)';
let others: ChildProcess[] = [];

beforeEach(() => contexts.setGlobalContextManager(new AsyncLocalStorageContextManager().enable()));
afterEach(() => {
  for (const child of others) child.kill('SIGKILL');
  others = [];
  contexts.disable();
});

/** A process that goes on until it is told to end, once it runs; `script` says its own number first, or that of one it has started. */
async function started(script = waiting): Promise<number> {
  const child = spawn(process.execPath, ['-e', script], { stdio: ['pipe', 'pipe', 'inherit'] });
  others.push(child);
  const [text] = (await once(child.stdout, 'data')) as [Buffer];
  return Number(text);
}

function isThere(processId: number): boolean {
  try {
    return process.kill(processId, 0);
  } catch {
    return false;
  }
}

/** Does `work` inside a replay whose guard refuses, and gives what was refused there. */
async function guardedly(work: () => unknown): Promise<readonly string[]> {
  const { player, sink } = playerOf(recording);
  const remove = installGuard({ player, scope: 'context' });
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

describe('process.kill in a replay', () => {
  it("sends nothing to a process that the replay has not started, whose number may be anybody's now", async () => {
    const parent = process.ppid;
    const refused = await guardedly(() => {
      expect(() => process.kill(parent, 'SIGWINCH')).toThrow(expect.objectContaining({ code: 'replay-refused' }));
      expect(process.kill(parent, 0)).toBe(true);
    });
    expect(refused).toEqual([expect.stringContaining(`process.kill process ${parent} was refused`)]);
  });

  it('sends nothing to the process that started this one under its recorded number either', async () => {
    const before = Object.getOwnPropertyDescriptor(process, 'ppid') ?? {};
    const recorded = 5_000_001;
    Object.defineProperty(process, 'ppid', { value: recorded, configurable: true });
    try {
      const refused = await guardedly(() => {
        expect(() => process.kill(process.ppid, 'SIGWINCH')).toThrow(
          expect.objectContaining({ code: 'replay-refused' }),
        );
      });
      expect(refused).toEqual([expect.stringContaining(`process.kill process ${recorded} was refused`)]);
    } finally {
      Object.defineProperty(process, 'ppid', before);
    }
  });

  it('is taken, and reaches nobody, for a process that the replay stands in for, which has gone then', async () => {
    const gone = spawn(process.execPath, ['-e', '0']);
    await once(gone, 'close');
    const end = serveProcess(gone.pid ?? 0);
    const kill = (signal?: string | number) => process.kill(gone.pid ?? 0, signal);
    const refused = await guardedly(() => {
      expect([kill(0), kill('SIGUSR2'), kill(0), kill()]).toEqual([true, true, true, true]);
      expect(() => kill(0)).toThrow(expect.objectContaining({ code: 'ESRCH' }));
    });
    end();
    expect(refused).toEqual([]);
  });

  it('reaches what the program has started, what that has, and the program itself', async () => {
    const child = await started();
    const script = `const child = require('node:child_process').spawn(process.execPath, ['-e', ${JSON.stringify(waiting)}], { stdio: ['pipe', 'inherit', 'inherit'] }); process.stdin.resume()`;
    const grandchild = process.platform === 'linux' ? [await started(script)] : [];
    const refused = await guardedly(() => {
      process.kill(child, 'SIGKILL');
      for (const processId of grandchild) process.kill(processId, 'SIGKILL');
      process.kill(process.pid, 'SIGWINCH');
    });
    expect(refused).toEqual([]);
    await expect.poll(() => [child, ...grandchild].filter(isThere), { timeout: 20_000 }).toEqual([]);
  });

  it('fails as the platform does for what is no number, or that of no process', async () => {
    const gone = spawn(process.execPath, ['-e', '0']);
    await once(gone, 'close');
    const refused = await guardedly(() => {
      expect(() => process.kill(gone.pid ?? 0)).toThrow(expect.objectContaining({ code: 'ESRCH' }));
      expect(() => process.kill('init' as unknown as number)).toThrow(
        expect.objectContaining({ code: 'ERR_INVALID_ARG_TYPE' }),
      );
    });
    expect(refused).toEqual([]);
  });
});

describe('os.setPriority in a replay', () => {
  it('changes nothing of a process that the replay has not started, and what is its own', async () => {
    const parent = process.ppid;
    const before = getPriority(parent);
    const child = await started();
    const refused = await guardedly(() => {
      expect(() => setPriority(parent, 19)).toThrow(expect.objectContaining({ code: 'replay-refused' }));
      setPriority(child, 19);
      setPriority(getPriority());
      setPriority(0, getPriority());
    });
    expect([getPriority(parent), getPriority(child)]).toEqual([before, 19]);
    expect(refused).toEqual([expect.stringContaining(`os.setPriority process ${parent} was refused`)]);
  });
});
