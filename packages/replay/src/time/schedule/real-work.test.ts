import { readFile } from 'node:fs';
import { open } from 'node:fs/promises';
import { describe, expect, it } from 'vitest';
import { REAL_WORK_MS_MAX } from '../../limits.ts';
import { RealWork } from './real-work.ts';

function watched() {
  const state = { names: [] as string[], nowMs: 0 };
  const work = new RealWork(
    () => state.names,
    () => state.nowMs,
  );
  return { state, work };
}

describe('work outside JavaScript', () => {
  it('is a file that is being read in this very process', async () => {
    const work = new RealWork();
    await new Promise((resolve) => {
      readFile(new URL(import.meta.url), resolve);
      expect(work.isGoingOn()).toBe(true);
    });
  });

  it('is a file that is being closed, which a promise of its content waits for', async () => {
    const { state, work } = watched();
    const file = await open(new URL(import.meta.url));
    const closing = file.close();
    state.names = process.getActiveResourcesInfo().filter((name) => !name.startsWith('FSReq'));
    expect(work.isGoingOn()).toBe(true);
    await closing;
  });

  it('is no timer, no server, no open connection and no terminal', () => {
    const { state, work } = watched();
    state.names = ['Timeout', 'Immediate', 'TCPServerWrap', 'TCPSocketWrap', 'TTYWrap', 'PipeWrap', 'MessagePort'];
    expect(work.isGoingOn()).toBe(false);
  });

  it('is waited for once where it does not end, and again where more of it begins', () => {
    const { state, work } = watched();
    state.names = ['ProcessWrap'];
    expect(work.isGoingOn()).toBe(true);
    state.nowMs += REAL_WORK_MS_MAX;
    expect(work.isGoingOn()).toBe(false);
    expect(work.isGoingOn()).toBe(false);
    state.names = ['ProcessWrap', 'ProcessWrap'];
    expect(work.isGoingOn()).toBe(true);
    state.names = [];
    expect(work.isGoingOn()).toBe(false);
    state.names = ['ProcessWrap'];
    expect(work.isGoingOn()).toBe(true);
  });
});

describe('what may still come', () => {
  it('is anything but our own timers and the standard streams', () => {
    const { state, work } = watched();
    state.names = ['Timeout', 'TTYWrap', 'PipeWrap', 'Immediate'];
    expect(work.mayCome()).toBe(false);
    state.names = ['Timeout', 'TCPSocketWrap'];
    expect(work.mayCome()).toBe(true);
  });
});
