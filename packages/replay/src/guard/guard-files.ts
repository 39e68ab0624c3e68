import type { FileHandle } from 'node:fs/promises';
import {
  absolutePath,
  type Behaviour,
  descriptorEffect,
  dumpFunctions,
  type FileEffect,
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
import { FileGuard } from './file-guard.ts';
import { asking, type EffectOf, type FailureShape, failAs, succeedAs } from './refusals.ts';

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

type Call = Parameters<Behaviour>[0];

function isEffect(effect: FileEffect | undefined): effect is FileEffect {
  return effect !== undefined;
}

/** The same call with other parameters. */
function withParameters(call: Call, parameters: unknown[]): Call {
  return { ...call, parameters, proceed: (given = parameters) => call.proceed(given) };
}

function guardFunction(patches: PatchSet, files: FileGuard, owner: object, key: string, shape: FailureShape): void {
  const what = fileFunction(key);
  const prefix = shape === 'reject' ? 'fs.promises' : 'fs';
  const changes = what === undefined ? undefined : fileEffectOf(`${prefix}.${key}`, what);
  if (what === undefined || changes === undefined) return;
  const effect: EffectOf = (given) =>
    [files.readsAppended(key, `${prefix}.${key}`, given), changes(given)].filter(isEffect);
  const ask = asking(files.judge, shape, effect);
  const open = what.does === 'open' ? remembering(shape) : undefined;
  const run: Behaviour = (call) => (open === undefined ? call.proceed() : open(call));
  const guardedCall: Behaviour = (call) => {
    const { parameters } = call;
    const asked = { key, given: parameters, callee: guardedCall, effectOf: () => changes(parameters) };
    const aside =
      files.asideOf(key, parameters, asked.effectOf) ?? files.packedAside(asked) ?? files.packedSource(key, parameters);
    if (aside !== undefined) return run(withParameters(call, [aside, ...parameters.slice(1)]));
    if (files.leavesFolderOut(key, parameters, asked.effectOf)) return succeedAs(shape, parameters);
    if (files.leavesLogAsIs(asked)) return succeedAs(shape, parameters);
    return ask({ ...call, proceed: () => run(call) });
  };
  patches.wrap(owner, key, guardedCall);
}

type Opened = (error: NodeJS.ErrnoException | null, descriptor: number) => void;

function isGiven(options: object, name: string): boolean {
  const value: unknown = Reflect.get(options, name);
  return value !== undefined && value !== null;
}

/** The file is opened later, when nobody knows any more who asked: it is judged now, and fails then. */
function guardStreams(patches: PatchSet, files: FileGuard, fs: typeof import('node:fs')): void {
  const openNow = fs.open;
  const guardedCall: Behaviour = ({ parameters, proceed }) => {
    const [path, given] = parameters;
    const options = typeof given === 'string' ? { encoding: given } : { ...(given as object | undefined) };
    // What opens it otherwise, such as a file system in memory, is judged where that comes to the platform.
    if (isGiven(options, 'fd') || isGiven(options, 'fs')) return proceed();
    const key = 'createWriteStream';
    const effect = (): FileEffect | undefined => pathEffect(`fs.${key}`, [path], false);
    const aside =
      files.asideOf(key, parameters, effect) ??
      files.packedAside({ key, given: parameters, callee: guardedCall, effectOf: effect });
    if (aside !== undefined) {
      const open = (_path: string, flags: string, mode: number, opened: Opened): void =>
        openNow(aside, flags, mode, (error, descriptor) => {
          if (error === null) rememberDescriptor(descriptor, aside);
          opened(error, descriptor);
        });
      return proceed([path, { ...options, fs: { ...fs, open } }]);
    }
    const refusal = files.judge.refusalOf(effect);
    if (refusal === undefined) return proceed();
    const open = (...opening: unknown[]): unknown => failAs('callback', refusal, opening);
    return proceed([path, { ...options, fs: { ...fs, open } }]);
  };
  patches.wrap(fs, 'createWriteStream', guardedCall);
}

/** How long a log is that was to be turned over is told by what is there in its place. */
function guardLengths(patches: PatchSet, files: FileGuard, owner: object, keys: readonly string[]): void {
  for (const key of keys) {
    patches.wrap(owner, key, ({ parameters: [path, ...more], proceed }) => {
      const log = files.turnedLog(path);
      return log === undefined ? proceed() : proceed([log, ...more]);
    });
  }
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
function guardOpenedHandles(patches: PatchSet, files: FileGuard, promises: typeof import('node:fs/promises')): void {
  const { judge } = files;
  let guarded: object | undefined;
  const changes: EffectOf = ([path, flags]) =>
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
    const [path, ...more] = parameters;
    const effect = (): FileEffect | undefined => changes(parameters, self) as FileEffect | undefined;
    const aside = files.asideOf('open', parameters, effect);
    if (aside !== undefined)
      return (proceed([aside, ...more]) as Promise<FileHandle>).then((handle) => take(handle, aside));
    const refusal = judge.refusalOf(() => effect() ?? files.readsAppended('open', 'fs.promises.open', parameters));
    if (refusal !== undefined) return failAs('reject', refusal, parameters);
    return (proceed() as Promise<FileHandle>).then((handle) => take(handle, path));
  });
}

/** Snapshots of the heap and reports are files, too. */
function guardDumps(patches: PatchSet, judge: EffectJudge): void {
  for (const { owner, key, effectOf } of dumpFunctions()) patches.wrap(owner, key, asking(judge, 'throw', effectOf));
  // It writes none by itself, and only where the heap is nearly full: a program that asks for it at its start need not fail.
  patches.wrap(process.getBuiltinModule('node:v8'), 'setHeapSnapshotNearHeapLimit', ({ proceed }) => {
    if (judge.ownerOfProcess() === undefined) return proceed();
    judge.note('v8.setHeapSnapshotNearHeapLimit was called: a replay writes no such snapshot.');
    return undefined;
  });
}

/** Guards everything in `node:fs` that changes files, and what else of the platform writes one. Reading is allowed: modules, certificates and settings must load. */
export function guardFiles(patches: PatchSet, judge: EffectJudge): void {
  const fs = process.getBuiltinModule('node:fs');
  const { promises } = fs;
  const files = new FileGuard(judge);
  guardStreams(patches, files, fs);
  for (const key of Object.keys(fs)) {
    guardFunction(patches, files, fs, key, key.endsWith('Sync') ? 'throw' : 'callback');
  }
  for (const key of Object.keys(promises)) if (key !== 'open') guardFunction(patches, files, promises, key, 'reject');
  guardLengths(patches, files, fs, ['stat', 'statSync']);
  guardLengths(patches, files, promises, ['stat']);
  guardClosing(patches, fs);
  guardOpenedHandles(patches, files, promises);
  guardDumps(patches, judge);
}
