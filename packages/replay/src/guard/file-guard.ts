import {
  absolutePath,
  appendingPath,
  type FileEffect,
  type FileFunction,
  fileToAppend,
  guarded,
  makesFolders,
  realPath,
} from '@reenact/instrumentation';
import { AppendedAside } from './appended-aside.ts';
import type { EffectJudge } from './effect-judge.ts';

function fileOf(key: string, given: readonly unknown[]): string | undefined {
  const path = appendingPath(key, given);
  return path === undefined ? undefined : fileToAppend(path);
}

/** What a replay does with calls that it neither lets happen nor refuses: what is appended to a file goes aside (docs/adr/0048). */
export class FileGuard {
  readonly judge: EffectJudge;
  private readonly aside = new AppendedAside();
  private readonly notMade = new Set<string>();

  constructor(judge: EffectJudge) {
    this.judge = judge;
  }

  /** The file that a call is to append to instead, noted in the report; undefined where it does as it is asked to, or is judged. Never throws. */
  asideOf(key: string, given: readonly unknown[], effectOf: () => FileEffect | undefined): string | undefined {
    if (this.judge.ownerCount === 0) return undefined;
    const path = guarded('looking at a file', () => fileOf(key, given), undefined);
    if (path === undefined || !this.judge.wouldRefuse(effectOf)) return undefined;
    const aside = this.aside.of(path);
    if (aside?.isNew === true)
      this.judge.note(`What is appended to ${path} went to ${aside.file} instead: a replay changes no file.`);
    return aside?.file;
  }

  /**
   * Whether a call of `mkdir` with `recursive` is to succeed without making the folder, noted in the report: programs make that of their logs,
   * which was there when they were recorded. Never throws.
   */
  leavesFolderOut(key: string, given: readonly unknown[], effectOf: () => FileEffect | undefined): boolean {
    if (this.judge.ownerCount === 0 || !makesFolders(key, given) || !this.judge.wouldRefuse(effectOf)) return false;
    const folder = absolutePath(given[0]) ?? '';
    if (!this.notMade.has(folder)) this.judge.note(`The folder ${folder} was not made: a replay changes no file.`);
    this.notMade.add(folder);
    return true;
  }

  /** That a call reads a file which was appended to: what it would read is not there. */
  readsAppended(name: string, what: FileFunction, [given]: readonly unknown[]): FileEffect | undefined {
    if (this.aside.isEmpty || (what.does !== 'open' && what.does !== 'read-with-flag')) return undefined;
    const path = absolutePath(given);
    const file = path === undefined ? undefined : realPath(path);
    if (path === undefined || file === undefined || !this.aside.has(file)) return undefined;
    return { type: 'file', name, paths: [file], target: path, readsAppended: true };
  }
}
