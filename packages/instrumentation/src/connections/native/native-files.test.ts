import { closeSync, mkdtempSync, openSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { NativeFiles } from './native-files.ts';

let folder: string;
const descriptors: number[] = [];

beforeEach(() => {
  folder = realpathSync(mkdtempSync(join(tmpdir(), 'reenact-files-')));
});

afterEach(() => {
  for (const descriptor of descriptors.splice(0)) closeSync(descriptor);
  rmSync(folder, { recursive: true });
});

function opened(name: string, flags: string): string {
  const path = join(folder, name);
  descriptors.push(openSync(path, flags));
  return path;
}

describe.skipIf(process.platform !== 'linux')('files that are open for writing, on Linux', () => {
  it('are told once while they are open, and again when they are opened again', () => {
    const files = new NativeFiles();
    opened('before', 'w');
    files.settle();
    expect(files.look()).toEqual([]);
    const paths = [opened('appended', 'a'), opened('both', 'w+')];
    expect(files.look()).toEqual(paths);
    expect(files.look()).toEqual([]);
    closeSync(descriptors.pop() as number);
    expect(files.look()).toEqual([]);
    expect([opened('both', 'r+'), files.look()]).toEqual([paths[1], [paths[1]]]);
  });

  it('are none that are only read, devices, or gone already', () => {
    const files = new NativeFiles();
    writeFileSync(join(folder, 'read'), 'text');
    files.settle();
    opened('read', 'r');
    rmSync(opened('gone', 'w'));
    descriptors.push(openSync('/dev/null', 'w'));
    expect(files.look()).toEqual([]);
  });
});
