import { createRequire } from 'node:module';
import { dirname, join, resolve } from 'node:path';
import { compileFunction } from 'node:vm';
import { gunzipSync } from 'node:zlib';
import { context as contexts } from '@opentelemetry/api';
import { AsyncLocalStorageContextManager } from '@opentelemetry/context-async-hooks';
import { withPosition } from '@reenact/instrumentation';
import { buildRecording } from '@reenact/recordings/testing';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type PlayerUnderTest, playerOf } from '../testdata/replay-of.ts';
import { installGuard } from './install-guard.ts';

const load = createRequire(import.meta.url);
const fs = load('node:fs') as typeof import('node:fs');
const recording = buildRecording({ label: 'agent:a', children: [] });

/** Turns a log over: notes its new file down, renames and links it, and removes an old one. */
type TurnOver = (folder: string) => Promise<string>;

const turning = `const fs = require('node:fs');
const { join } = require('node:path');
module.exports = async (folder) => {
  fs.mkdirSync(join(folder, 'old'));
  await fs.promises.rename(join(folder, 'a.log'), join(folder, 'b.log'));
  fs.symlinkSync(join(folder, 'b.log'), join(folder, 'now.log'));
  fs.writeFileSync(join(folder, 'audit.json'), '[]');
  return new Promise((resolve, reject) => {
    fs.unlink(join(folder, 'a.log'), (error) => (error ? reject(error) : resolve('turned over')));
  });
};`;

const packing = `const fs = require('node:fs');
const { join } = require('node:path');
const { finished } = require('node:stream/promises');
const { createGzip } = require('node:zlib');
module.exports = async (folder) => {
  const log = join(folder, 'a.log');
  const lengths = [];
  for (const line of ['one', 'two']) {
    fs.appendFileSync(log, line);
    await new Promise((resolve) => fs.mkdir(folder, resolve));
    await fs.promises.rename(log + '.1.gz', log + '.2.gz');
    const source = fs.createReadStream(log);
    await finished(source.pipe(createGzip()).pipe(fs.createWriteStream(log + '.1.gz', { flags: 'wx' })));
    fs.unlinkSync(log);
    lengths.push(fs.statSync(log, { throwIfNoEntry: false })?.size);
  }
  fs.appendFileSync(log, 'three');
  return [...lengths, (await fs.promises.stat(log)).size].join();
};`;

/** Not among temporary files, where everything is let be. */
let folder: string;

beforeAll(() => {
  fs.mkdirSync(resolve('node_modules'), { recursive: true });
  folder = fs.mkdtempSync(resolve('node_modules', 'reenact-turned-'));
});
beforeEach(() => {
  contexts.setGlobalContextManager(new AsyncLocalStorageContextManager().enable());
  fs.writeFileSync(join(folder, 'a.log'), 'kept\n');
});
afterEach(() => contexts.disable());
afterAll(() => fs.rmSync(folder, { recursive: true }));

/** The same code as that of a package. */
function turnOverBy(name: string, code = turning): TurnOver {
  const place = join(folder, 'node_modules', name);
  fs.mkdirSync(place, { recursive: true });
  fs.writeFileSync(join(place, 'package.json'), JSON.stringify({ name, main: 'index.cjs' }));
  fs.writeFileSync(join(place, 'index.cjs'), code);
  return load(place) as TurnOver;
}

/** The same code as the app's own. */
function ownCode(code: string): TurnOver {
  const module: { exports?: TurnOver } = {};
  compileFunction(code, ['require', 'module'], { filename: '/app/agent.cjs' })(load, module);
  return module.exports as TurnOver;
}

async function inReplay(
  scope: 'process' | 'context',
  turnOver: TurnOver,
): Promise<{ readonly tested: PlayerUnderTest; readonly told: unknown }> {
  const tested = playerOf(recording);
  const remove = installGuard({ player: tested.player, scope });
  const position = { player: tested.player, cursor: recording.roots[0]?.spanId };
  try {
    const told = await contexts.with(withPosition(contexts.active(), position), () =>
      turnOver(folder).catch((error: unknown) => error),
    );
    return { tested, told };
  } finally {
    remove();
  }
}

function typesOf({ sink }: PlayerUnderTest): readonly string[] {
  return sink.events.map(({ event }) => event.type);
}

const refused = expect.objectContaining({ code: 'replay-refused' });

describe('a log that turns over within a replay', () => {
  it.each(['rotating-file-stream', 'file-stream-rotator', 'winston'])(
    'of %s goes on, and no file is changed',
    async (name) => {
      const turnOver = turnOverBy(name);
      const before = fs.readdirSync(folder);
      const { tested, told } = await inReplay('process', turnOver);
      expect(told).toBe('turned over');
      expect(fs.readdirSync(folder)).toEqual(before);
      expect(typesOf(tested)).toEqual(['note']);
      expect(tested.sink.events[0]?.event).toMatchObject({
        text: `Logs in ${folder} were not turned over (fs.mkdirSync): a replay changes no file.`,
      });
    },
  );

  it('is refused as every change is where other code does it, and in a process that is shared', async () => {
    const other = await inReplay('process', turnOverBy('some-other-package'));
    expect(other.told).toEqual(refused);
    const shared = await inReplay('context', turnOverBy('rotating-file-stream'));
    expect(shared.told).toEqual(refused);
    expect(fs.readFileSync(join(folder, 'a.log'), 'utf8')).toBe('kept\n');
  });

  it('may be packed by any package, begins anew, and holds what the replay wrote', async () => {
    const turnOver = turnOverBy('some-packing-package', packing);
    const before = fs.readdirSync(folder);
    const { tested, told } = await inReplay('process', turnOver);
    expect(told).toBe(',,5');
    expect([fs.readdirSync(folder), fs.readFileSync(join(folder, 'a.log'), 'utf8')]).toEqual([before, 'kept\n']);
    const notes = tested.sink.events.map(({ event }) => (event.type === 'note' ? event.text : event.type));
    expect(notes).toEqual([
      expect.stringContaining(`What is appended to ${join(folder, 'a.log')} went to`),
      `Logs in ${folder} were not turned over (fs.mkdir): a replay changes no file.`,
    ]);
    const aside = dirname(/went to (\S+) instead/.exec(notes[0] ?? '')?.[1] ?? '');
    const packed = fs.readdirSync(aside).filter((name) => name.endsWith('.gz'));
    expect(packed.map((name) => gunzipSync(fs.readFileSync(join(aside, name))).toString())).toEqual(['one', 'two']);
  });

  it('is refused where the code of the app does that by itself, or what was renamed is read', async () => {
    const other = await inReplay('process', ownCode(packing));
    expect([other.told, typesOf(other.tested)]).toEqual([refused, ['note', 'divergence', 'divergence']]);
    const reading = `const fs = require('node:fs');
      module.exports = async (folder) => {
        fs.appendFileSync(folder + '/a.log', 'one');
        fs.renameSync(folder + '/a.log', folder + '/a.1.log');
        const told = (path) => { try { return fs.readFileSync(folder + path, 'utf8'); } catch (error) { return error.code; } };
        return [told('/a.log'), told('/a.1.log')].join();
      };`;
    const { told } = await inReplay('process', turnOverBy('some-reading-package', reading));
    expect(told).toBe('replay-refused,replay-refused');
  });
});
