import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import type { AddressInfo } from 'node:net';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buildRecording } from '@reenact/recordings/testing';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { runListeningEntry } from './run-listening-entry.ts';

let directory = '';
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'reenact-listening-'));
});
afterEach(() => rmSync(directory, { recursive: true, force: true }));

/** What is said of a command that ends before it listens, while somebody has the recorded port. */
async function notesOf(lossy: readonly string[]): Promise<string> {
  const recording = buildRecording({ label: 'agent:GET /ask', lossy });
  const root = recording.crossings[0];
  if (root === undefined) throw new Error('Nothing was built.');
  const other = createServer().listen(0);
  await once(other, 'listening');
  const server = { port: (other.address() as AddressInfo).port, protocols: ['http' as const] };
  const child = spawn(process.execPath, ['-e', '']);
  const ended = new AbortController();
  child.on('exit', () => ended.abort());
  const entry = { recording, root, directory, label: 'request GET /ask', server, send: async () => [] };
  const notes = await runListeningEntry({ entry, beside: [], pace: undefined }, child, ended.signal);
  other.close();
  return notes.join().replace(String(server.port), '<port>');
}

describe('a command that does not listen', () => {
  it('is told of whoever has its port', async () => {
    expect(await notesOf([])).toBe(
      'The command ended before it listened, so the recorded request GET /ask was not sent. Something else listens on its port <port>: stop that, or have the command listen on another one.',
    );
  });

  it('is told that no replay asks a worker thread, whose port is its own', async () => {
    expect(await notesOf(['/begun in a worker thread'])).toBe(
      'The command ended before it listened, so the recorded request GET /ask was not sent. It was answered in a worker thread when it was recorded, where no replay sends anything: enter the run by its function, with --entry.',
    );
  });
});
