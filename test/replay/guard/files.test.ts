import * as files from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { expectAllRefused } from './expect-refused.ts';
import { folderPicture } from './folder-picture.ts';
import { GuardStage } from './guard-stage.ts';

const names = ['written', 'appended', 'truncated', 'mode', 'owned', 'times', 'renamed', 'linked', 'copied', 'unlinked'];

let stage: GuardStage;

/** `writeFile` for each form of it. */
function functionOf(name: string): string {
  return name.replace(/^fs\.(promises\.)?|Sync$/g, '');
}

beforeEach(() => {
  stage = new GuardStage();
  for (const name of [...names, 'opened', 'streamed'])
    files.writeFileSync(join(stage.work, `${name}.txt`), `this is ${name}`);
  for (const folder of ['copied-folder', 'full-folder', 'empty-folder']) files.mkdirSync(join(stage.work, folder));
  for (const folder of ['copied-folder', 'full-folder'])
    files.writeFileSync(join(stage.work, folder, 'inner.txt'), 'inner');
});

afterEach(() => stage.strike());

describe('code that no boundary covers cannot change files', () => {
  it.each([
    ['by ES modules that imported every function by name', 'files-imported', 57],
    ['by CommonJS and an unpatched dependency', 'files-required', 60],
    ['by descriptors, handles, streams and links', 'open-files', 'Utf8Stream' in files ? 17 : 16],
  ])('%s', async (_, attempts, count) => {
    const before = folderPicture(stage.work);
    const replayed = await stage.replay({ attempts });
    expect(folderPicture(stage.work)).toEqual(before);
    expect(replayed.attempted.size).toBe(count);
    expectAllRefused(replayed);
  });

  it('although each of the attempts changes them where no replay runs', async () => {
    for (const attempts of ['files-imported', 'open-files']) {
      const free = [...(await stage.runFreely({ attempts })).values()];
      const done = new Set(free.filter(({ code }) => code === undefined).map(({ name }) => functionOf(name)));
      // The forms of one attempt follow each other: what the first has moved or removed is gone for the next.
      expect(free.map(({ name }) => functionOf(name)).filter((name) => !done.has(name))).toEqual([]);
    }
    expect(Object.keys(folderPicture(stage.work))).toEqual(
      expect.arrayContaining(['other.txt', 'copy.txt', 'hard-link.txt', 'soft-link.txt', 'made', 'yet-to-be-made.txt']),
    );
  });
});

describe('what is allowed', () => {
  it('is one file, or all below one folder, and nothing beside', async () => {
    const allowPaths = [join(stage.work, 'written.txt'), join(stage.work, 'made')];
    const { attempted, report } = await stage.replay({
      attempts: 'files-imported',
      guard: { allowHosts: [], allowPaths, allowPrograms: [] },
    });
    const isAppend = (name: string): boolean => functionOf(name) === 'appendFile';
    const done = [...attempted.values()].filter(({ code }) => code === undefined).map(({ name }) => name);
    // What is appended goes aside, to a file that is not named.
    const allowed = done.filter((name) => !isAppend(name));
    expect(done.filter(isAppend).length).toBe(3);
    expect(allowed.sort()).toEqual(
      [
        'fs.mkdir',
        'fs.mkdirSync',
        'fs.promises.mkdir',
        'fs.promises.writeFile',
        'fs.writeFile',
        'fs.writeFileSync',
      ].sort(),
    );
    expect(report.divergences.map(({ message }) => message).join('\n')).not.toContain('written.txt');
  });
});
