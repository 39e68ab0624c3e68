import { constants, statSync } from 'node:fs';
import type { FileHandle } from 'node:fs/promises';
import type { Behaviour, PatchSet } from '@reenact/instrumentation';
import type { AttemptedEffect } from './attempted-effect.ts';
import { descriptorPath, forgetDescriptor, isStandardDescriptor, rememberDescriptor } from './descriptor-paths.ts';
import type { EffectJudge } from './effect-judge.ts';
import { type FileFunction, fileFunction, HANDLE_WRITES } from './file-functions.ts';
import { absolutePath, entryPath, isOutput, realPath } from './real-path.ts';
import { asking, type EffectOf, type FailureShape, failAs } from './refusals.ts';

const writingFlags = constants.O_WRONLY | constants.O_RDWR | constants.O_CREAT | constants.O_TRUNC | constants.O_APPEND;

function opensForWriting(flags: unknown): boolean {
  if (typeof flags === 'number') return (flags & writingFlags) !== 0;
  return typeof flags === 'string' && !/^(r|rs|sr)$/.test(flags);
}

function isHandle(value: unknown): value is FileHandle {
  return typeof value === 'object' && value !== null && 'fd' in value && typeof value.fd === 'number';
}

function descriptorEffect(name: string, descriptor: number): AttemptedEffect | undefined {
  if (isStandardDescriptor(descriptor)) return undefined;
  const path = descriptorPath(descriptor);
  return { type: 'file', name, paths: [path], target: path ?? `file descriptor ${descriptor}` };
}

/** Undefined for what is no path: the original says so itself. */
function pathEffect(name: string, values: readonly unknown[], isEntry: boolean): AttemptedEffect | undefined {
  const [first] = values;
  if (typeof first === 'number') return descriptorEffect(name, first);
  if (isHandle(first)) return descriptorEffect(name, first.fd);
  const paths = values.map(absolutePath).filter((path) => path !== undefined);
  if (paths.length < values.length) return undefined;
  const changed = paths.map((path) => (isOutput(path) ? path : isEntry ? entryPath(path) : realPath(path)));
  return { type: 'file', name, paths: changed, target: paths.join(', ') };
}

/** `mkdir` with `recursive` on a folder that is there does nothing, and programs do it at every start. */
function makesNothing(name: string, [path, options]: readonly unknown[]): boolean {
  if (!/\bmkdir(Sync)?$/.test(name) || typeof options !== 'object' || options === null) return false;
  if (!('recursive' in options) || options.recursive !== true) return false;
  const folder = absolutePath(path);
  return folder !== undefined && statSync(folder, { throwIfNoEntry: false })?.isDirectory() === true;
}

function flagOf(options: unknown): unknown {
  return typeof options === 'object' && options !== null && 'flag' in options ? options.flag : undefined;
}

function effectOf(name: string, what: FileFunction): EffectOf | undefined {
  switch (what.does) {
    case 'write': {
      const { parameters, entry = false } = what;
      return (given) =>
        makesNothing(name, given)
          ? undefined
          : pathEffect(
              name,
              parameters.map((index) => given[index]),
              entry,
            );
    }
    case 'open':
      return (given) => (opensForWriting(given[what.flags]) ? pathEffect(name, [given[0]], false) : undefined);
    case 'read-with-flag':
      return (given) =>
        opensForWriting(flagOf(given[what.options])) ? pathEffect(name, [given[0]], false) : undefined;
    case 'write-descriptor':
      return ([descriptor]) => (typeof descriptor === 'number' ? descriptorEffect(name, descriptor) : undefined);
    case 'read':
    case 'use-descriptor':
    case 'open-stream':
    case 'open-later':
    case 'nothing':
      return undefined;
  }
}

function remember(descriptor: unknown, given: unknown): void {
  const path = absolutePath(given);
  if (typeof descriptor === 'number' && path !== undefined) rememberDescriptor(descriptor, path);
}

/** Opens as the original does, and remembers which file the descriptor stands for. */
function remembering(shape: FailureShape): Behaviour {
  return ({ parameters, proceed }) => {
    if (shape !== 'callback') {
      const descriptor = proceed();
      remember(descriptor, parameters[0]);
      return descriptor;
    }
    const callback = parameters.at(-1);
    if (typeof callback !== 'function') return proceed();
    const opened = (error: unknown, descriptor: unknown): void => {
      remember(descriptor, parameters[0]);
      callback(error, descriptor);
    };
    return proceed([...parameters.slice(0, -1), opened]);
  };
}

function guardFunction(patches: PatchSet, judge: EffectJudge, owner: object, key: string, shape: FailureShape): void {
  const what = fileFunction(key);
  const prefix = shape === 'reject' ? 'fs.promises' : 'fs';
  const effect = what === undefined ? undefined : effectOf(`${prefix}.${key}`, what);
  if (what === undefined || effect === undefined) return;
  const ask = asking(judge, shape, effect);
  const open = what.does === 'open' ? remembering(shape) : undefined;
  patches.wrap(owner, key, (call) => ask(open === undefined ? call : { ...call, proceed: () => open(call) }));
}

/** The file is opened later, when nobody knows any more who asked: it is judged now, and fails then. */
function guardStreams(patches: PatchSet, judge: EffectJudge, fs: typeof import('node:fs')): void {
  patches.wrap(fs, 'createWriteStream', ({ parameters, proceed }) => {
    const [path, given] = parameters;
    const options = typeof given === 'string' ? { encoding: given } : { ...(given as object | undefined) };
    if ('fd' in options && options.fd !== undefined && options.fd !== null) return proceed();
    const refusal = judge.refusalOf(() => pathEffect('fs.createWriteStream', [path], false));
    if (refusal === undefined) return proceed();
    const open = (...opening: unknown[]): unknown => failAs('callback', refusal, opening);
    return proceed([path, { ...options, fs: { ...fs, open } }]);
  });
}

function guardClosing(patches: PatchSet, fs: typeof import('node:fs')): void {
  for (const key of ['close', 'closeSync'] as const) {
    patches.wrap(fs, key, ({ parameters: [descriptor], proceed }) => {
      if (typeof descriptor === 'number') forgetDescriptor(descriptor);
      return proceed();
    });
  }
}

function guardHandles(patches: PatchSet, judge: EffectJudge, prototype: object): void {
  for (const key of HANDLE_WRITES) {
    const effect: EffectOf = (_, handle) =>
      isHandle(handle) ? descriptorEffect(`FileHandle.${key}`, handle.fd) : undefined;
    patches.wrap(prototype, key, asking(judge, 'reject', effect));
  }
  patches.wrap(prototype, 'close', ({ self, proceed }) => {
    if (isHandle(self)) forgetDescriptor(self.fd);
    return proceed();
  });
}

/** The class of file handles can be had only from a handle: it is guarded when the first one is handed out. */
function guardOpenedHandles(patches: PatchSet, judge: EffectJudge, promises: typeof import('node:fs/promises')): void {
  let guarded: object | undefined;
  const effect: EffectOf = ([path, flags]) =>
    opensForWriting(flags) ? pathEffect('fs.promises.open', [path], false) : undefined;
  const take = (handle: FileHandle, path: unknown): FileHandle => {
    const prototype: object = Object.getPrototypeOf(handle);
    if (guarded === undefined && judge.ownerCount > 0) {
      guarded = prototype;
      guardHandles(patches, judge, prototype);
    }
    remember(handle.fd, path);
    return handle;
  };
  patches.wrap(promises, 'open', ({ self, parameters, proceed }) => {
    const refusal = judge.refusalOf(() => effect(parameters, self));
    if (refusal !== undefined) return failAs('reject', refusal, parameters);
    return (proceed() as Promise<FileHandle>).then((handle) => take(handle, parameters[0]));
  });
}

/** Guards everything in `node:fs` that changes files. Reading is allowed: modules, certificates and settings must load. */
export function guardFiles(patches: PatchSet, judge: EffectJudge): void {
  const fs = process.getBuiltinModule('node:fs');
  const { promises } = fs;
  for (const key of Object.keys(fs)) {
    guardFunction(patches, judge, fs, key, key.endsWith('Sync') ? 'throw' : 'callback');
  }
  for (const key of Object.keys(promises)) if (key !== 'open') guardFunction(patches, judge, promises, key, 'reject');
  guardStreams(patches, judge, fs);
  guardClosing(patches, fs);
  guardOpenedHandles(patches, judge, promises);
}
