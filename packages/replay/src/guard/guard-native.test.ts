import { context as contexts } from '@opentelemetry/api';
import { AsyncLocalStorageContextManager } from '@opentelemetry/context-async-hooks';
import { watchAddOn, withPosition } from '@reenact/instrumentation';
import { buildRecording } from '@reenact/recordings/testing';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { playerOf } from '../testdata/replay-of.ts';
import { installGuard } from './install-guard.ts';

const recording = buildRecording({ label: 'agent:a', children: [{ label: 'tool:t', input: ['one'], output: 1 }] });
const path = '/no-such-folder/facts.db';
/** What libsql's add-on exports, as far as it matters. */
const libsql = {
  databaseOpen: (location: string) => ({ location }),
  databaseOpenWithSync: (location: string, address: string) => ({ location, address }),
  databasePrepareSync(this: object, text: string) {
    return { database: this, text };
  },
  statementRun: () => 1,
};

beforeAll(() => {
  contexts.setGlobalContextManager(new AsyncLocalStorageContextManager().enable());
  watchAddOn(libsql);
});
afterAll(() => contexts.disable());

/** How a call ends inside of a replay in this process. */
function insideReplay(call: () => unknown, paths: readonly string[] = [], isLive = false): unknown {
  const { player } = playerOf(recording);
  const remove = installGuard({
    player,
    scope: 'context',
    allowed: { allowHosts: [], allowPaths: [...paths], allowPrograms: [] },
  });
  const position = { player, cursor: recording.roots[0]?.spanId, isLive };
  try {
    contexts.with(withPosition(contexts.active(), position), call);
    return 'done';
  } catch (error) {
    return (error as { code?: unknown }).code;
  } finally {
    remove();
  }
}

it('does not let an add-on ask a model by itself, but inside of what runs live', () => {
  class BamlRuntime {
    callFunctionSync(name: string) {
      return name;
    }
    callFunction(name: string) {
      return name;
    }
    streamFunction(name: string) {
      return name;
    }
    streamFunctionSync(name: string) {
      return name;
    }
  }
  watchAddOn({ BamlRuntime, FunctionResultStream: class {}, RuntimeContextManager: class {} });
  const ask = () => new BamlRuntime().callFunctionSync('Extract');
  expect([insideReplay(ask), insideReplay(ask, [], true)]).toEqual(['replay-refused', 'done']);
});

describe('a database of a native add-on in a replay', () => {
  it('is not opened, by path or by address, unless it is in memory', () => {
    expect(insideReplay(() => libsql.databaseOpen(path))).toBe('replay-refused');
    expect(insideReplay(() => libsql.databaseOpen('libsql://facts.example'))).toBe('replay-refused');
    expect(insideReplay(() => libsql.databaseOpenWithSync(':memory:', 'libsql://facts.example'))).toBe(
      'replay-refused',
    );
    expect(insideReplay(() => libsql.databaseOpen(':memory:'))).toBe('done');
  });

  it('is not written to either where it was opened before', () => {
    const opened = libsql.databaseOpen(path);
    const use = (text: string) => libsql.databasePrepareSync.call(opened, text);
    expect(insideReplay(() => use('DELETE FROM notes'))).toBe('replay-refused');
    expect(insideReplay(() => use('SELECT * FROM notes'))).toBe('done');
    expect(use('DELETE FROM notes')).toEqual({ database: opened, text: 'DELETE FROM notes' });
  });

  it('does not open files from inside of one in memory', () => {
    const opened = libsql.databaseOpen(':memory:');
    const use = (text: string) => insideReplay(() => libsql.databasePrepareSync.call(opened, text));
    expect([use("ATTACH DATABASE '/no-such-folder/a.db' AS a"), use('SELECT 1')]).toEqual(['replay-refused', 'done']);
  });

  it('writes no files from inside of one in memory, nor where what does it is to be explained as it is done', () => {
    const opened = libsql.databaseOpen(':memory:');
    const use = (text: string) => insideReplay(() => libsql.databasePrepareSync.call(opened, text));
    expect(use("COPY notes TO '/no-such-folder/f.csv'")).toBe('replay-refused');
    expect(use("explain analyze copy notes to '/no-such-folder/f.csv'")).toBe('replay-refused');
    expect(use('explain analyze select 1')).toBe('done');
  });

  it('is let happen where it is allowed, and inside of what runs live', () => {
    expect(insideReplay(() => libsql.databaseOpen(path), [path])).toBe('done');
    expect(insideReplay(() => libsql.databaseOpen(path), [], true)).toBe('done');
  });
});
