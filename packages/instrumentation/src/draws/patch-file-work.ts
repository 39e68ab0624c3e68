import type { FileHandle } from 'node:fs/promises';
import { type AnyFunction, type Behaviour, type PatchSet, wrapFunction } from '../patching/patch-set.ts';
import type { WorkOf } from './outside-work.ts';
import { workWithCallback } from './work-with-callback.ts';
import { workWithPromise } from './work-with-promise.ts';

/** Each is one piece of work, and calls none of the others. Streams are made of these. */
const withCallback = [
  ...['access', 'chmod', 'chown', 'close', 'copyFile', 'fchmod', 'fchown', 'fdatasync', 'fstat', 'fsync', 'ftruncate'],
  ...['futimes', 'lchown', 'link', 'lstat', 'lutimes', 'mkdir', 'mkdtemp', 'open', 'opendir', 'read', 'readFile'],
  ...['readdir', 'readlink', 'readv', 'rename', 'rmdir', 'stat', 'statfs', 'symlink', 'unlink', 'utimes', 'write'],
  'writev',
];

/** What gives no promise, calls the host while it works, or is made of others. */
const leftOut = new Set(['cp', 'glob', 'rm', 'watch']);

const ofHandle = [
  ...['appendFile', 'chmod', 'chown', 'close', 'datasync', 'read', 'readFile', 'readv', 'stat', 'sync', 'truncate'],
  ...['utimes', 'write', 'writeFile', 'writev'],
];

/** Whether what is to be written is there: what is iterated comes from the host. */
function isThere(data: unknown): boolean {
  return typeof data !== 'object' || data === null || ArrayBuffer.isView(data);
}

/** Handles that the host was given: the platform uses others for itself, inside of other work. */
const handed = new WeakSet<object>();

function behaviourOfHandle(key: string, workOf: WorkOf): Behaviour {
  const writesData = key === 'appendFile' || key === 'writeFile';
  const isWhole = ([data]: readonly unknown[]): boolean => !writesData || isThere(data);
  const ofHanded = workWithPromise(`FileHandle.${key}`, workOf, isWhole);
  return (call) => (handed.has(call.self as object) ? ofHanded(call) : call.proceed());
}

function patchOwn(handle: object, workOf: WorkOf): void {
  for (const key of ofHandle) {
    const own = Object.getOwnPropertyDescriptor(handle, key);
    if (typeof own?.value !== 'function') continue;
    const behave = behaviourOfHandle(key, workOf);
    // It is bound to its handle, whatever it is called as.
    const value = wrapFunction(own.value as AnyFunction, (call) => behave({ ...call, self: handle }));
    Object.defineProperty(handle, key, { ...own, value });
  }
}

/** Their class can be had only from a handle: it is patched when the first one is handed out. Some methods are the handle's own. */
function patchOpening(patches: PatchSet, workOf: WorkOf, promises: typeof import('node:fs/promises')): void {
  let isPatched = false;
  const take = (handle: FileHandle): FileHandle => {
    const prototype = Object.getPrototypeOf(handle) as object;
    if (!isPatched) for (const key of ofHandle) patches.wrap(prototype, key, behaviourOfHandle(key, workOf));
    isPatched = true;
    handed.add(handle);
    patchOwn(handle, workOf);
    return handle;
  };
  const behave = workWithPromise('fs.promises.open', workOf);
  const taking = (opening: unknown): unknown => (opening as Promise<FileHandle>).then(take);
  patches.wrap(promises, 'open', (call) => behave({ ...call, proceed: () => taking(call.proceed()) }));
}

/** Functions of `node:fs` and `node:fs/promises` that leave JavaScript, and the methods of file handles. */
export function patchFileWork(patches: PatchSet, workOf: WorkOf): void {
  const fs = process.getBuiltinModule('node:fs');
  const { promises } = fs;
  for (const key of withCallback) patches.wrap(fs, key, workWithCallback(`fs.${key}`, workOf));
  for (const [key, value] of Object.entries(promises)) {
    if (typeof value !== 'function' || key === 'open' || leftOut.has(key)) continue;
    const writesData = key === 'appendFile' || key === 'writeFile';
    const isWhole = ([, data]: readonly unknown[]): boolean => !writesData || isThere(data);
    patches.wrap(promises, key, workWithPromise(`fs.promises.${key}`, workOf, isWhole));
  }
  patchOpening(patches, workOf, promises);
}
