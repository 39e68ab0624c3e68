import { setImmediate as turn } from 'node:timers/promises';
import { BroadcastChannel, MessageChannel } from 'node:worker_threads';
import { PatchSet } from '@reenact/instrumentation';
import { describe, expect, it } from 'vitest';
import { isQuiet, patchHiddenWork } from './quiet-process.ts';

/** What the platform lists now of one kind: other suites of this process may have left things of other kinds. */
function activeOf(kind: string): () => string[] {
  return () => process.getActiveResourcesInfo().filter((name) => name === kind);
}

function unreferenced(port: { unref(): unknown; close(): void }): void {
  port.unref();
  port.close();
}

describe('a quiet process', () => {
  it('has no immediate but our own', async () => {
    const active = activeOf('Immediate');
    expect(isQuiet(0, active)).toBe(true);
    const immediate = setImmediate(() => undefined);
    expect([isQuiet(0, active), isQuiet(1, active)]).toEqual([false, true]);
    clearImmediate(immediate);
    expect(isQuiet(0, active)).toBe(true);
    const two = [turn(), turn()];
    expect(isQuiet(1, active)).toBe(false);
    await Promise.all(two);
  });

  it('has no message port that listens', () => {
    const before = activeOf('MessagePort')().length;
    const { port1, port2 } = new MessageChannel();
    port1.on('message', () => undefined);
    expect(activeOf('MessagePort')().length).toBe(before + 1);
    expect(isQuiet(0, activeOf('MessagePort'))).toBe(false);
    port2.close();
  });

  it.each(['TCPSocketWrap', 'TCPServerWrap', 'FSReqPromise', 'ProcessWrap', 'WORKER', 'made up'])(
    'has no %s',
    (name) => {
      expect(isQuiet(5, () => ['PipeWrap', 'Timeout', name])).toBe(false);
    },
  );

  it('may have timers and the standard streams', () => {
    expect(isQuiet(0, () => ['TTYWrap', 'PipeWrap', 'PipeWrap', 'Timeout', 'SignalWrap'])).toBe(true);
  });
});

describe('work that the platform does not list', () => {
  it.each([
    ['an immediate', () => void setImmediate(() => undefined).unref()],
    ['a promised immediate', () => void turn(undefined, { ref: false })],
    ['a message port', () => unreferenced(new MessageChannel().port1)],
    ['a broadcast channel', () => unreferenced(new BroadcastChannel('hidden'))],
  ])('is told of as soon as somebody hides it: %s', (_, hide) => {
    const patches = new PatchSet();
    let told = 0;
    patchHiddenWork(patches, () => {
      told += 1;
    });
    hide();
    expect(told).toBeGreaterThan(0);
    patches.restore();
    const before = told;
    hide();
    expect(told).toBe(before);
  });
});
