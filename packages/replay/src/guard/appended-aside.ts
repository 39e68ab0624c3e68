import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { guarded } from '@reenact/instrumentation';
import { APPENDED_FILES_MAX } from '../limits.ts';

/** Taken now: the guard replaces it. */
const makeFolder = mkdtempSync;

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
    this.folder ??= guarded('making a folder', () => makeFolder(join(tmpdir(), 'reenact-appended-')), undefined);
    if (this.folder === undefined) return undefined;
    const file = join(this.folder, `${this.files.size + 1}-${basename(path)}`);
    this.files.set(path, file);
    return { file, isNew: true };
  }
}
