import { appendFileSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { buildRecording } from '@reenact/recordings/testing';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { RUN_TAIL_MS } from '../limits.ts';
import { EntrySender } from './entry-sender.ts';
import type { ListeningEntry } from './listening-entry.ts';

let directory = '';
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'reenact-sender-'));
});
afterEach(() => rmSync(directory, { recursive: true, force: true }));

function entryWith(send: ListeningEntry['send'], outcome: 'pending' | 'aborted' = 'pending'): ListeningEntry {
  const recording = buildRecording({ label: 'agent:GET /ask', outcome });
  const [root] = recording.crossings;
  if (root === undefined) throw new Error('Nothing was built.');
  const server = { port: 1, protocols: ['http' as const] };
  return { recording, root, directory, label: 'request GET /ask', server, send };
}

const place = { protocol: 'http', address: '127.0.0.1', port: 1 } as const;

function tellOf(type: 'outcome' | 'rested'): void {
  appendFileSync(join(directory, 'report-1.jsonl'), `${JSON.stringify({ type })}\n`);
}

describe('whoever asks a service again whose process was stopped before it had answered', () => {
  it('waits until the run has come as far as it did, however slow the machine is', async () => {
    const seen: string[] = [];
    const send: ListeningEntry['send'] = async (_, signal) => {
      const left = new Promise((resolve) => signal.addEventListener('abort', resolve));
      void left.then(() => seen.push('gave up'));
      // What a start takes on a busy machine; it is no wait for anything.
      await pause(2 * RUN_TAIL_MS);
      seen.push('came as far');
      tellOf('rested');
      await left;
      tellOf('outcome');
      return [];
    };
    const sender = new EntrySender(directory, new AbortController().signal);
    await sender.send(entryWith(send), place, 'replayed');
    expect(seen).toEqual(['came as far', 'gave up']);
  });

  it('waits no longer once it has an answer', async () => {
    const sender = new EntrySender(directory, new AbortController().signal);
    let asked: AbortSignal | undefined;
    const send: ListeningEntry['send'] = (_, signal) => {
      asked = signal;
      tellOf('outcome');
      return Promise.resolve(['answered']);
    };
    expect(await sender.send(entryWith(send), place, 'replayed')).toEqual(['answered']);
    expect(asked?.aborted).toBe(true);
  });
});

describe('whoever asks a service again that was left before it had answered', () => {
  it('is left by the service, however slow the machine is, and waits for what that goes on to do', async () => {
    const seen: string[] = [];
    const send: ListeningEntry['send'] = async (_, signal) => {
      signal.addEventListener('abort', () => seen.push('gave up'));
      // As above: longer than the recorded one had waited.
      await pause(3 * RUN_TAIL_MS);
      seen.push('left');
      tellOf('outcome');
      void pause(2 * RUN_TAIL_MS).then(() => {
        seen.push('noticed');
        tellOf('rested');
      });
      return [];
    };
    const sender = new EntrySender(directory, new AbortController().signal);
    await sender.send(entryWith(send, 'aborted'), place, 'replayed');
    expect(seen.filter((step) => step !== 'gave up')).toEqual(['left', 'noticed']);
    expect(seen[0]).toBe('left');
  });
});
