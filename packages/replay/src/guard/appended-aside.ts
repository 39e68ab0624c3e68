import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { guarded } from '@reenact/instrumentation';
import { APPENDED_FILES_MAX } from '../limits.ts';

/** Taken now: the guard replaces them, and the program may name another folder for temporary files. */
const makeFolder = mkdtempSync;
const makeFile = writeFileSync;
const temporary = tmpdir();

/** How much of a file's name is kept: with the number before it, a name takes no more bytes than a file system allows. */
const nameCharactersMax = 60;

/** Where what a replay appends to files goes instead: files of its own, in a folder for temporary ones, which stays for whoever wants to read them. */
export class AppendedAside {
  private readonly files = new Map<string, string>();
  /** Logs that were to be renamed or removed, and began anew. */
  private readonly turned = new Set<string>();
  private folder: string | undefined;
  private count = 0;

  /** Whether anything was appended to a file. */
  get isEmpty(): boolean {
    return this.count === 0;
  }

  /** Whether something was appended to this file, its links followed. */
  has(path: string): boolean {
    return this.files.has(path) || this.turned.has(path);
  }

  /** The file that takes what is appended to `path`, whose links are followed; `isNew` the first time. Undefined where there can be none, or are too many. Never throws. */
  of(path: string): { readonly file: string; readonly isNew: boolean } | undefined {
    const known = this.files.get(path);
    if (known !== undefined) return { file: known, isNew: false };
    if (this.count >= APPENDED_FILES_MAX) return undefined;
    const file = guarded('making a file', () => this.made(path), undefined);
    if (file === undefined) return undefined;
    this.files.set(path, file);
    return { file, isNew: !this.turned.has(path) };
  }

  /** A log is to be removed, or renamed: what was appended to it is known by its new name, and it begins anew. */
  turnOver(from: string, to: string | undefined): void {
    const file = this.files.get(from);
    if (file === undefined) return;
    this.files.delete(from);
    this.turned.add(from);
    if (to === undefined) return;
    this.files.set(to, file);
    this.turned.delete(to);
  }

  /** The file by which to tell how long such a log is, which has begun anew: that need not be there. Undefined for any other file. */
  anew(path: string): string | undefined {
    if (this.folder === undefined || !this.turned.has(path)) return undefined;
    return this.files.get(path) ?? join(this.folder, basename(path));
  }

  /** Where a file goes that is made of one of these, which is not there yet; undefined where nothing was appended, or to too many. */
  packed(path: string): string | undefined {
    if (this.folder === undefined || this.count >= APPENDED_FILES_MAX) return undefined;
    const file = this.nextIn(this.folder, path);
    this.files.set(path, file);
    return file;
  }

  private nextIn(folder: string, path: string): string {
    this.count += 1;
    return join(folder, `${this.count}-${basename(path).slice(-nameCharactersMax)}`);
  }

  /** It is there at once: what is opened without being made was there, too. */
  private made(path: string): string {
    this.folder ??= makeFolder(join(temporary, 'reenact-appended-'));
    const file = this.nextIn(this.folder, path);
    makeFile(file, '', { flag: 'a' });
    return file;
  }
}
