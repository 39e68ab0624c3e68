import type { FileHandle } from 'node:fs/promises';
import {
  absolutePath,
  type Behaviour,
  descriptorEffect,
  fileEffectOf,
  fileFunction,
  forgetDescriptor,
  HANDLE_WRITES,
  isHandle,
  opensForWriting,
  type PatchSet,
  pathEffect,
  rememberDescriptor,
} from '@reenact/instrumentation';
import type { EffectJudge } from './effect-judge.ts';
import { asking, type EffectOf, type FailureShape, failAs } from './refusals.ts';

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
  const effect = what === undefined ? undefined : fileEffectOf(`${prefix}.${key}`, what);
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
