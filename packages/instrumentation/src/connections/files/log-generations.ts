import { basename, dirname } from 'node:path';
import { absolutePath, realPath } from './real-path.ts';

const packedPattern = /\.(?:gz|zip|br|zst)$/i;
/** All but letters: numbers, dates and what stands between them tell the generations of a log apart. */
const numberingPattern = /[^\p{L}]+/gu;
const makingFlags = /^(?:w|wx|xw)$/;

/** What all generations of a log have in common: its folder, and the letters of its name. */
function logOf(file: string): string {
  return `${dirname(file)}\0${basename(file).replace(packedPattern, '').replace(numberingPattern, '')}`;
}

function isMaking(key: string, [, second]: readonly unknown[]): boolean {
  switch (key.replace(/Sync$/, '')) {
    case 'open':
      return typeof second === 'string' && makingFlags.test(second);
    case 'createWriteStream': {
      const flags: unknown = typeof second === 'object' && second !== null ? Reflect.get(second, 'flags') : undefined;
      return flags === undefined || (typeof flags === 'string' && makingFlags.test(flags));
    }
    default:
      return false;
  }
}

/**
 * The generations of the logs of a process: the files that it only adds to, and those beside them whose names differ from these by numbers
 * and marks alone, packed or not, as `app.log.1` and `app-2026-11-29.log.gz` from `app.log` (docs/adr/0048). All paths are those that links lead to.
 */
export class LogGenerations {
  private readonly logs = new Set<string>();
  private readonly folders = new Set<string>();
  private readonly packing = new Set<string>();

  /** A file that is only added to. */
  add(file: string): void {
    this.logs.add(logOf(file));
    this.folders.add(dirname(file));
  }

  clear(): void {
    for (const known of [this.logs, this.folders, this.packing]) known.clear();
  }

  /** Whether a call of the function `key` of `node:fs` that changes these paths renames or removes generations, or makes the folder that they are in. */
  turnsOver(key: string, paths: readonly (string | undefined)[]): boolean {
    const isKnown = (path: string | undefined): boolean =>
      path !== undefined && (key.startsWith('mkdir') ? this.folders.has(path) : this.logs.has(logOf(path)));
    return /^(?:mkdir|rename|unlink)(?:Sync)?$/.test(key) && paths.length > 0 && paths.every(isKnown);
  }

  /** The packed generation that a call makes; undefined for any other call. */
  packedBy(key: string, given: readonly unknown[]): string | undefined {
    if (this.logs.size === 0 || !isMaking(key, given)) return undefined;
    const path = absolutePath(given[0]);
    if (path === undefined || !packedPattern.test(path)) return undefined;
    const file = realPath(path);
    return this.logs.has(logOf(file)) ? file : undefined;
  }

  /** Such a generation is being made: its log is read for that, once. */
  pack(file: string): void {
    this.packing.add(logOf(file));
  }

  /** Whether a file is read to be packed, which is asked once for each time. */
  isPacked(file: string): boolean {
    return this.packing.delete(logOf(file));
  }
}
