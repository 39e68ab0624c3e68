import fs from 'node:fs';
import { open } from 'node:fs/promises';
import { devNull } from 'node:os';
import { describe, expect, it } from 'vitest';
import { FILE_FUNCTIONS, fileFunction, HANDLE_WRITES } from './file-functions.ts';

/** Methods of `FileHandle` that read, close, or end in one that writes. */
const otherHandleMethods = [
  'close',
  'constructor',
  'createReadStream',
  'createWriteStream',
  'datasync',
  'fd',
  'getAsyncId',
  'onclose',
  'read',
  'readFile',
  'readLines',
  'readableWebStream',
  'readv',
  'stat',
  'sync',
];

async function handleMethods(): Promise<string[]> {
  const handle = await open(devNull, 'r');
  try {
    return Object.getOwnPropertyNames(Object.getPrototypeOf(handle));
  } finally {
    await handle.close();
  }
}

describe('every function of this version of Node.js is known', () => {
  it.each(Object.keys(fs))('fs.%s', (name) => {
    expect(fileFunction(name)).toBeDefined();
  });

  it.each(Object.keys(fs.promises))('fs.promises.%s', (name) => {
    expect(fileFunction(name)).toBeDefined();
  });

  it('FileHandle', async () => {
    const known = new Set<string>([...HANDLE_WRITES, ...otherHandleMethods]);
    expect((await handleMethods()).filter((name) => !known.has(name))).toEqual([]);
  });

  it('a function that nobody has thought about is not', () => {
    expect(fileFunction('shredSync')).toBeUndefined();
    expect(fileFunction('constructor')).toBeUndefined();
  });
});

describe('the table', () => {
  it('calls nothing a read that is known to change files', () => {
    const reads = Object.entries(FILE_FUNCTIONS).filter(([, { does }]) => does === 'read');
    expect(
      reads.map(([name]) => name).filter((name) => /write|append|^mk|^rm|chmod|chown|utimes|link$/.test(name)),
    ).toEqual(['readlink']);
  });
});
