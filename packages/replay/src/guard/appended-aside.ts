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
  private folder: string | undefined;

  /** Whether anything was appended to a file. */
  get isEmpty(): boolean {
    return this.files.size === 0;
  }

  /** Whether something was appended to this file, its links followed. */
  has(path: string): boolean {
    return this.files.has(path);
  }

  /** The file that takes what is appended to `path`, whose links are followed; `isNew` the first time. Undefined where there can be none, or are too many. Never throws. */
  of(path: string): { readonly file: string; readonly isNew: boolean } | undefined {
    const known = this.files.get(path);
    if (known !== undefined) return { file: known, isNew: false };
    if (this.files.size >= APPENDED_FILES_MAX) return undefined;
    const file = guarded('making a file', () => this.made(path), undefined);
    if (file === undefined) return undefined;
    this.files.set(path, file);
    return { file, isNew: true };
  }

  /** It is there at once: what is opened without being made was there, too. */
  private made(path: string): string {
    this.folder ??= makeFolder(join(temporary, 'reenact-appended-'));
    const file = join(this.folder, `${this.files.size + 1}-${basename(path).slice(-nameCharactersMax)}`);
    makeFile(file, '', { flag: 'a' });
    return file;
  }
}
