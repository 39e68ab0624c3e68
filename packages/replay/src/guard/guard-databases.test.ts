import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { context as contexts } from '@opentelemetry/api';
import { AsyncLocalStorageContextManager } from '@opentelemetry/context-async-hooks';
import { withPosition } from '@reenact/instrumentation';
import { buildRecording } from '@reenact/recordings/testing';
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { playerOf } from '../testdata/replay-of.ts';
import { installGuard } from './install-guard.ts';

const recording = buildRecording({ label: 'agent:a', children: [{ label: 'tool:t', input: ['one'], output: 1 }] });
let folder: string;
let opened: DatabaseSync;

beforeAll(() => {
  contexts.setGlobalContextManager(new AsyncLocalStorageContextManager().enable());
  folder = mkdtempSync(join(tmpdir(), 'reenact-databases-'));
  // In the folder for temporary files all is allowed.
  vi.stubEnv('TMPDIR', join(folder, 'temporary'));
  opened = new DatabaseSync(join(folder, 'facts.db'));
  opened.exec('CREATE TABLE notes (text)');
});
afterAll(() => {
  contexts.disable();
  vi.unstubAllEnvs();
  opened.close();
  rmSync(folder, { recursive: true });
});

/** What a statement gives on a database that was opened before the replay in this process began. */
function insideReplay(work: () => unknown, allowPaths: string[] = []): unknown {
  const { player } = playerOf(recording);
  const remove = installGuard({ player, scope: 'context', allowed: { allowHosts: [], allowPaths, allowPrograms: [] } });
  try {
    const position = { player, cursor: recording.roots[0]?.spanId };
    return contexts.with(withPosition(contexts.active(), position), work);
  } catch (error) {
    return (error as { code?: unknown }).code;
  } finally {
    remove();
  }
}

const count = () => opened.prepare('SELECT * FROM notes').all().length;

it('does not let a replay write to a database that was opened before it', () => {
  expect(insideReplay(() => opened.exec("INSERT INTO notes VALUES ('one')"))).toBe('replay-refused');
  expect(insideReplay(() => opened.prepare("INSERT INTO notes VALUES ('one')").run())).toBe('replay-refused');
  expect(count()).toBe(0);
});

it('lets it read there, and write to what is in memory, or allowed', () => {
  expect(insideReplay(count)).toBe(0);
  const inMemory = new DatabaseSync(':memory:');
  expect(insideReplay(() => inMemory.exec('CREATE TABLE notes (text)'))).toBeUndefined();
  expect(insideReplay(() => opened.exec("INSERT INTO notes VALUES ('one')"), [folder])).toBeUndefined();
  expect([count(), existsSync(join(folder, 'facts.db'))]).toEqual([1, true]);
});
