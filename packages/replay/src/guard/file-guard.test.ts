import { createRequire } from 'node:module';
import { join, resolve } from 'node:path';
import { finished } from 'node:stream/promises';
import { context as contexts } from '@opentelemetry/api';
import { AsyncLocalStorageContextManager } from '@opentelemetry/context-async-hooks';
import { withPosition } from '@reenact/instrumentation';
import { buildRecording } from '@reenact/recordings/testing';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type PlayerUnderTest, playerOf } from '../testdata/replay-of.ts';
import { installGuard } from './install-guard.ts';

const fs = createRequire(import.meta.url)('node:fs') as typeof import('node:fs');
const recording = buildRecording({ label: 'agent:a', children: [{ label: 'tool:t', input: ['one'], output: 1 }] });
/** Not among temporary files, where everything is let be. */
let folder: string;
let log: string;

beforeAll(() => {
  fs.mkdirSync(resolve('node_modules'), { recursive: true });
  folder = fs.mkdtempSync(resolve('node_modules', 'reenact-aside-'));
  log = join(folder, 'agent.log');
});
beforeEach(() => {
  contexts.setGlobalContextManager(new AsyncLocalStorageContextManager().enable());
  fs.writeFileSync(log, 'kept\n');
});
afterEach(() => contexts.disable());
afterAll(() => fs.rmSync(folder, { recursive: true }));

/** Does `work` inside a replay of the whole process, or of a context in one that is shared. */
function inReplay(scope: 'process' | 'context', work: () => void): PlayerUnderTest {
  const tested = playerOf(recording);
  const remove = installGuard({ player: tested.player, scope });
  const position = { player: tested.player, cursor: recording.roots[0]?.spanId };
  try {
    contexts.with(withPosition(contexts.active(), position), work);
  } finally {
    remove();
  }
  return tested;
}

function notesOf({ sink }: PlayerUnderTest): readonly string[] {
  return sink.events.flatMap(({ event }) => (event.type === 'note' ? [event.text] : []));
}

const refused = expect.objectContaining({ code: 'replay-refused' });

describe('what a replay appends to a file', () => {
  it('goes to one file of its own for each, however it is opened, and is noted once', () => {
    const notes = notesOf(
      inReplay('process', () => {
        fs.appendFileSync(log, 'one\n');
        const descriptor = fs.openSync(log, fs.constants.O_WRONLY | fs.constants.O_APPEND);
        fs.writeSync(descriptor, 'two\n');
        fs.closeSync(descriptor);
        fs.appendFileSync(join(folder, 'other.log'), 'three\n');
      }),
    );
    const paths = notes.map((note) => /^What is appended to (\S+) went to (\S+) instead/.exec(note)?.slice(1) ?? []);
    expect(paths.map(([path]) => path)).toEqual([log, join(folder, 'other.log')]);
    expect(paths.map(([, aside = '']) => fs.readFileSync(aside, 'utf8'))).toEqual(['one\ntwo\n', 'three\n']);
    expect([fs.readFileSync(log, 'utf8'), fs.existsSync(join(folder, 'other.log'))]).toEqual(['kept\n', false]);
  });

  it('goes there by a stream that opens its file to be read, too, which no stream does', async () => {
    let stream: import('node:fs').WriteStream | undefined;
    const [note = ''] = notesOf(
      inReplay('process', () => {
        stream = fs.createWriteStream(log, { flags: 'a+' });
      }),
    );
    stream?.end('one\n');
    if (stream !== undefined) await finished(stream);
    const [, aside = ''] = /went to (\S+) instead/.exec(note) ?? [];
    expect([fs.readFileSync(log, 'utf8'), fs.readFileSync(aside, 'utf8')]).toEqual(['kept\n', 'one\n']);
  });

  it('is not read back, copied, emptied or removed', () => {
    inReplay('process', () => {
      fs.readFileSync(log);
      fs.appendFileSync(log, 'one\n');
      for (const use of [
        () => fs.readFileSync(log),
        () => fs.openSync(log, 'r'),
        () => fs.copyFileSync(log, '/dev/null'),
        () => fs.truncateSync(log),
        () => fs.rmSync(log),
      ])
        expect(use).toThrow(refused);
    });
    expect(fs.readFileSync(log, 'utf8')).toBe('kept\n');
  });

  it('is another matter in each replay of one process', () => {
    inReplay('process', () => fs.appendFileSync(log, 'one\n'));
    const second = inReplay('process', () => {
      expect(fs.readFileSync(log, 'utf8')).toBe('kept\n');
      fs.appendFileSync(log, 'one\n');
    });
    expect(notesOf(second)).toHaveLength(1);
  });

  it('is refused in a process that is shared: others go on with what a replay has opened there', () => {
    inReplay('context', () => expect(() => fs.appendFileSync(log, 'one\n')).toThrow(refused));
    expect(fs.readFileSync(log, 'utf8')).toBe('kept\n');
  });
});

it('makes no folder in a replay, which goes on all the same, and leaves bad paths to the platform', () => {
  const made = join(folder, 'made', 'logs');
  const notes = notesOf(
    inReplay('process', () => {
      expect(fs.mkdirSync(made, { recursive: true })).toBeUndefined();
      expect(() => fs.mkdirSync(made)).toThrow(refused);
      for (const bad of ['a\0b', new URL('http://a.example/b')]) {
        const why = expect.objectContaining({ code: expect.stringMatching(/^ERR_INVALID/) });
        expect(() => fs.mkdirSync(bad, { recursive: true })).toThrow(why);
        expect(() => fs.appendFileSync(bad, 'x')).toThrow(why);
      }
    }),
  );
  expect([fs.existsSync(join(folder, 'made')), notes.length]).toEqual([false, 1]);
});
