import { existsSync } from 'node:fs';
import type { FileHandle } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname } from 'node:path';
import { toldOf } from '../../draws/work-with-callback.ts';
import { guarded } from '../../host/report-failure.ts';
import { WRITTEN_FILES_KNOWN_MAX } from '../../limits.ts';
import { type AnyFunction, disguised, type PatchSet } from '../../patching/patch-set.ts';
import { handedOn } from '../../results/observe-promise.ts';
import type { Callee } from '../../source-line.ts';
import { changingCode, isCodeOfPackage, turnsLogOver } from '../unseen/connecting-code.ts';
import { FILE_PLACE } from '../unseen/connection-list.ts';
import { recordFileChange } from '../unseen/record-connection.ts';
import { appendingPath, fileToAppend } from './appended-file.ts';
import { forgetDescriptor, rememberDescriptor } from './descriptor-paths.ts';
import { descriptorEffect, type FileEffect, fileEffectOf, isHandle, mayChange, pathEffect } from './file-effect.ts';
import { type FileFunction, fileFunction, HANDLE_WRITES, readsFile } from './file-functions.ts';
import { LogGenerations } from './log-generations.ts';
import { absolutePath, realPath } from './real-path.ts';
import { isScratchFile } from './scratch-files.ts';

/** Linux says itself which file a descriptor stands for. */
const isToldByPlatform = process.platform === 'linux';

/** By what the guard of a replay would judge a call: the path or descriptor it is given; undefined where each call is looked at. */
type FileKey = string | number | undefined;

/** One call that may change a file. */
interface Change {
  readonly callee: Callee;
  /** The function by its name. */
  readonly key: string;
  readonly keyOf: () => FileKey;
  readonly effectOf: () => FileEffect | undefined;
  /** The path that it only adds to. */
  readonly appendingOf: () => string | undefined;
  readonly parameters: readonly unknown[];
}

/** Tells which files code changes, each way to a file looked up once: that takes longer than writing a line. */
class WrittenFiles {
  /** The place that is told; undefined where a replay lets it happen. */
  private readonly places = new Map<FileKey, string | undefined>();
  private readonly ofHandles = new WeakMap<FileHandle, { readonly place: string | undefined }>();
  private readonly temporary = realPath(tmpdir());
  /** Files that were added to: a replay puts that aside (docs/adr/0048), and refuses to read them. */
  private readonly appended = new Set<string>();
  private readonly generations = new LogGenerations();
  /** Paths that lead to such files. */
  private readonly appending = new Set<string>();
  /** Paths that streams which only add are about to open. */
  private readonly streaming = new Set<string>();
  /** The files that paths lead to, which were asked for. */
  private readonly fileAt = new Map<string, string>();

  /** Notes for the agent around this call of `callee` that it reads what was appended, which a replay refuses. Never throws. */
  noteReading(callee: Callee, given: unknown): void {
    if (this.appended.size === 0) return;
    this.tell(callee, () => {
      const path = absolutePath(given);
      return path !== undefined && this.isAppended(path) ? `${FILE_PLACE}${path}` : undefined;
    });
  }

  private isAppended(path: string): boolean {
    const known = this.fileAt.get(path) ?? realPath(path);
    if (this.fileAt.size >= WRITTEN_FILES_KNOWN_MAX) this.fileAt.clear();
    this.fileAt.set(path, known);
    return this.appended.has(known) && !isScratchFile(known, this.temporary) && !this.generations.isPacked(known);
  }

  /** Notes for the agent around this call of `callee` that a replay would refuse it. Never throws. */
  note(change: Change): void {
    const { callee, keyOf, effectOf, appendingOf } = change;
    const placeOf = (): string | undefined => {
      const appending = appendingOf();
      if (appending !== undefined && this.appends(appending)) return undefined;
      const key = keyOf();
      if (key === undefined) return this.placeOf(effectOf());
      if (this.places.has(key)) return this.places.get(key);
      const place = typeof key === 'number' ? this.placeOfOpen(effectOf()) : this.placeOf(effectOf());
      if (this.places.size >= WRITTEN_FILES_KNOWN_MAX) this.places.clear();
      this.places.set(key, place);
      return place;
    };
    this.tell(callee, placeOf, () => this.turnsOver(change));
  }

  /** Whether a logger renames, removes or packs generations of its log: a replay leaves that as it is (docs/adr/0048). */
  private turnsOver({ callee, key, effectOf, parameters }: Change): boolean {
    const packed = this.generations.packedBy(key, parameters);
    const paths = effectOf()?.paths ?? [];
    const [from, to] = paths;
    const isTurning =
      turnsLogOver(key, callee) ||
      ((packed !== undefined || this.generations.turnsOver(key, paths)) && isCodeOfPackage(callee));
    if (isTurning && packed !== undefined) {
      this.generations.pack(packed);
      this.appended.add(packed);
      if (key === 'createWriteStream') this.awaitStream(absolutePath(parameters[0]) ?? packed);
    }
    // What is read under its new name is not there in a replay, either.
    if (isTurning && from !== undefined && to !== undefined && this.appended.has(from)) this.appended.add(to);
    return isTurning;
  }

  /** A stream that only adds to a file opens this path next. */
  awaitStream(path: string): void {
    if (this.streaming.size >= WRITTEN_FILES_KNOWN_MAX) this.streaming.clear();
    this.streaming.add(path);
  }

  /** The path that a call only adds to. A stream may open its file to be read, too, and never reads. */
  appendingOf(key: string, parameters: readonly unknown[]): string | undefined {
    const path = key === 'open' && this.streaming.size > 0 ? absolutePath(parameters[0]) : undefined;
    return path !== undefined && this.streaming.delete(path) ? path : appendingPath(key, parameters);
  }

  /** The same of what is done by a handle, whose number another one has once it is closed. Never throws. */
  noteHandle(callee: Callee, name: string, handle: FileHandle): void {
    this.tell(callee, () => {
      const known = this.ofHandles.get(handle) ?? { place: this.placeOfOpen(descriptorEffect(name, handle.fd)) };
      this.ofHandles.set(handle, known);
      return known.place;
    });
  }

  /** A number stands for this file from now on, or for nothing any more. */
  renew(descriptor: unknown, given?: unknown): void {
    if (typeof descriptor !== 'number') return;
    this.places.delete(descriptor);
    if (isToldByPlatform) return;
    const path = absolutePath(given);
    if (path === undefined) forgetDescriptor(descriptor);
    else rememberDescriptor(descriptor, path);
  }

  /** Some number stands for another file from now on. */
  renewNumbers(): void {
    for (const key of this.places.keys()) if (typeof key === 'number') this.places.delete(key);
  }

  private tell(callee: Callee, placeOf: () => string | undefined, isLeftOut: () => boolean = () => false): void {
    recordFileChange(placeOf, (place) => {
      if (isLeftOut()) return undefined;
      const code = changingCode(callee);
      return code === undefined ? undefined : { place, package: code.package };
    });
  }

  private appends(path: string): boolean {
    if (this.appending.has(path)) return true;
    const file = fileToAppend(path);
    // Where there is no folder for it the call fails, and that of a replay would not.
    if (file === undefined || !existsSync(dirname(file))) return false;
    if (this.appending.size >= WRITTEN_FILES_KNOWN_MAX) {
      this.appending.clear();
      this.appended.clear();
      this.generations.clear();
    }
    this.appended.add(file);
    this.generations.add(file);
    this.appending.add(path);
    return true;
  }

  /** Of a file that is open. One that was added to was opened for that, or had its place when it was opened for more. */
  private placeOfOpen(effect: FileEffect | undefined): string | undefined {
    const [path] = effect?.paths ?? [];
    return path !== undefined && this.appended.has(path) ? undefined : this.placeOf(effect);
  }

  private placeOf(effect: FileEffect | undefined): string | undefined {
    if (effect === undefined) return undefined;
    const isScratch = effect.paths.every((path) => path !== undefined && isScratchFile(path, this.temporary));
    return isScratch ? undefined : `${FILE_PLACE}${effect.target}`;
  }
}

/** What changes an entry of a folder is another matter than what follows it, and `mkdir` may change nothing. */
function isJudgedOnce(key: string, what: FileFunction): boolean {
  if (/^(?:mkdir|copyFile|cp)(?:Sync)?$/.test(key)) return false;
  return what.does !== 'write' || (what.entry !== true && what.parameters.length === 1);
}

/** What is called back when a file is open. Where the platform tells its number's file, nothing of ours is in the stack of what comes then. */
function toldOfOpening(files: WrittenFiles, callback: AnyFunction, renew: (descriptor: unknown) => void): AnyFunction {
  if (isToldByPlatform) return toldOf(callback, () => files.renewNumbers());
  return function (this: unknown, ...given) {
    renew(given[1]);
    return Reflect.apply(callback, this, given);
  };
}

/** Opens as the original does, and remembers which file the descriptor stands for. */
function opening(files: WrittenFiles, original: AnyFunction, self: unknown, parameters: unknown[]): unknown {
  const callback = parameters.at(-1);
  const renew = (descriptor: unknown): void =>
    guarded('remembering a file', () => files.renew(descriptor, parameters[0]), undefined);
  if (typeof callback !== 'function') {
    const descriptor = Reflect.apply(original, self, parameters);
    renew(descriptor);
    return descriptor;
  }
  return Reflect.apply(original, self, [
    ...parameters.slice(0, -1),
    toldOfOpening(files, callback as AnyFunction, renew),
  ]);
}

function watchFunction(patches: PatchSet, files: WrittenFiles, owner: object, key: string, prefix: string): void {
  const what = fileFunction(key);
  const effectOf = what === undefined ? undefined : fileEffectOf(`${prefix}.${key}`, what);
  if (what === undefined || effectOf === undefined) return;
  const isOpening = what.does === 'open' && prefix === 'fs';
  const isOnce = isJudgedOnce(key, what);
  const keyOf = ([first]: readonly unknown[]): FileKey => {
    if (typeof first === 'number') return first;
    return isOnce ? absolutePath(first) : undefined;
  };
  const mayRead = readsFile(key);
  patches.replace<AnyFunction>(owner, key, (original) => {
    const changing: AnyFunction = function (this: unknown, ...parameters) {
      const isChange = guarded('watching a file', () => mayChange(what, parameters), false);
      if (mayRead && (!isChange || what.does === 'write')) files.noteReading(changing, parameters[0]);
      if (isChange)
        files.note({
          callee: changing,
          key,
          keyOf: () => keyOf(parameters),
          effectOf: () => effectOf(parameters),
          appendingOf: () => files.appendingOf(key, parameters),
          parameters,
        });
      return isOpening ? opening(files, original, this, parameters) : Reflect.apply(original, this, parameters);
    };
    return disguised(changing, original);
  });
}

/** Where a stream opens its file, nobody knows any more who asked. */
function watchStreams(patches: PatchSet, files: WrittenFiles, fs: object): void {
  patches.replace<AnyFunction>(fs, 'createWriteStream', (original) => {
    const creating: AnyFunction = function (this: unknown, ...parameters) {
      const [path, options] = parameters;
      // What opens it otherwise, such as a file system in memory, is watched where that comes to the platform.
      const given = (name: string): unknown =>
        guarded('watching a file', () => Reflect.get(Object(options), name), undefined);
      if ((given('fd') ?? given('fs') ?? undefined) !== undefined) return Reflect.apply(original, this, parameters);
      const appendingOf = (): string | undefined => appendingPath('createWriteStream', parameters);
      files.note({
        callee: creating,
        key: 'createWriteStream',
        keyOf: () => absolutePath(path),
        effectOf: () => pathEffect('fs.createWriteStream', [path], false),
        appendingOf,
        parameters,
      });
      const stream: unknown = Reflect.apply(original, this, parameters);
      const appending = guarded('watching a file', appendingOf, undefined);
      if (appending !== undefined) files.awaitStream(appending);
      return stream;
    };
    return disguised(creating, original);
  });
}

function watchClosing(patches: PatchSet, files: WrittenFiles, owner: object, key: string): void {
  patches.replace<AnyFunction>(owner, key, (original) => {
    const closing: AnyFunction = function (this: unknown, ...parameters) {
      files.renew(parameters[0]);
      return Reflect.apply(original, this, parameters);
    };
    return disguised(closing, original);
  });
}

function watchHandles(patches: PatchSet, files: WrittenFiles, prototype: object): void {
  for (const key of HANDLE_WRITES) {
    patches.replace<AnyFunction>(prototype, key, (original) => {
      const changing: AnyFunction = function (this: unknown, ...parameters) {
        if (guarded('watching a file', () => isHandle(this), false))
          files.noteHandle(changing, `FileHandle.${key}`, this as FileHandle);
        return Reflect.apply(original, this, parameters);
      };
      return disguised(changing, original);
    });
  }
}

/** The class of file handles can be had only from a handle: it is watched when the first one is handed out. */
function watchOpenedHandles(patches: PatchSet, files: WrittenFiles, promises: object): void {
  let isWatched = false;
  const take = (handle: FileHandle, path: unknown): void => {
    if (!isWatched) watchHandles(patches, files, Object.getPrototypeOf(handle) as object);
    isWatched = true;
    files.renew(handle.fd, path);
  };
  patches.replace<AnyFunction>(promises, 'open', (original) => {
    const asking: AnyFunction = function (this: unknown, ...parameters) {
      const opened = Reflect.apply(original, this, parameters) as Promise<FileHandle>;
      const taking = (handle: FileHandle): void =>
        guarded('watching a file', () => take(handle, parameters[0]), undefined);
      // Handed on in its place: a promise that is merely listened to counts as handled, and a failure that the host forgot would no longer end its process.
      return handedOn(opened, { fulfilled: (handle) => taking(handle as FileHandle), rejected: () => undefined });
    };
    return disguised(asking, original);
  });
}

/**
 * Notes which files and folders agents change themselves, as the guard of a replay judges it: it refuses that, but for scratch. Reading is
 * let be.
 */
export function watchFiles(patches: PatchSet): void {
  const fs = process.getBuiltinModule('node:fs');
  const { promises } = fs;
  const files = new WrittenFiles();
  for (const key of Object.keys(fs)) watchFunction(patches, files, fs, key, 'fs');
  for (const key of Object.keys(promises)) watchFunction(patches, files, promises, key, 'fs.promises');
  watchStreams(patches, files, fs);
  for (const key of ['close', 'closeSync']) watchClosing(patches, files, fs, key);
  watchOpenedHandles(patches, files, promises);
  patches.publish();
}
