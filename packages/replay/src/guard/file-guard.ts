import { dirname } from 'node:path';
import {
  absolutePath,
  appendingPath,
  type Callee,
  type FileEffect,
  fileToAppend,
  guarded,
  makesFolders,
  readsFile,
  realPath,
  turnsLogOver,
} from '@reenact/instrumentation';
import { AppendedAside } from './appended-aside.ts';
import type { EffectJudge, GuardOwner } from './effect-judge.ts';

function fileOf(key: string, given: readonly unknown[]): string | undefined {
  const path = appendingPath(key, given);
  return path === undefined ? undefined : fileToAppend(path);
}

/** What one replay has done in another way. */
interface Aside {
  readonly appended: AppendedAside;
  readonly notMade: Set<string>;
  readonly notTurned: Set<string>;
}

/** What a replay does with calls that it neither lets happen nor refuses: what is appended to a file goes aside (docs/adr/0048). */
export class FileGuard {
  readonly judge: EffectJudge;
  private readonly asides = new WeakMap<object, Aside>();

  constructor(judge: EffectJudge) {
    this.judge = judge;
  }

  private asideFor(owner: GuardOwner): Aside {
    const known = this.asides.get(owner.player) ?? {
      appended: new AppendedAside(),
      notMade: new Set(),
      notTurned: new Set(),
    };
    this.asides.set(owner.player, known);
    return known;
  }

  /** The file that a call is to append to instead, noted in the report; undefined where it does as it is asked to, or is judged. Never throws. */
  asideOf(key: string, given: readonly unknown[], effectOf: () => FileEffect | undefined): string | undefined {
    if (this.judge.ownerCount === 0) return undefined;
    const path = guarded('looking at a file', () => fileOf(key, given), undefined);
    const owner = path === undefined ? undefined : this.judge.whoRefuses(effectOf);
    if (path === undefined || owner === undefined) return undefined;
    const aside = this.asideFor(owner).appended.of(path);
    if (aside?.isNew === true)
      this.judge.note(`What is appended to ${path} went to ${aside.file} instead: a replay changes no file.`);
    return aside?.file;
  }

  /**
   * Whether a call of `mkdir` with `recursive` is to succeed without making the folder, noted in the report: programs make that of their logs,
   * which was there when they were recorded. Never throws.
   */
  leavesFolderOut(key: string, given: readonly unknown[], effectOf: () => FileEffect | undefined): boolean {
    if (this.judge.ownerCount === 0 || !guarded('looking at a folder', () => makesFolders(key, given), false))
      return false;
    const owner = this.judge.whoRefuses(effectOf);
    if (owner === undefined) return false;
    const { notMade } = this.asideFor(owner);
    const folder = absolutePath(given[0]) ?? '';
    if (!notMade.has(folder)) this.judge.note(`The folder ${folder} was not made: a replay changes no file.`);
    notMade.add(folder);
    return true;
  }

  /**
   * Whether a call, by way of `callee`, is to succeed without being made, because a logger whose log turns over renames or removes files by it; noted in the
   * report. Never throws.
   */
  leavesLogAsIs(key: string, callee: Callee, effectOf: () => FileEffect | undefined): boolean {
    if (this.judge.ownerCount === 0 || !guarded('looking at a logger', () => turnsLogOver(key, callee), false))
      return false;
    const owner = this.judge.whoRefuses(effectOf);
    if (owner === undefined) return false;
    const { notTurned } = this.asideFor(owner);
    const folder = dirname(guarded('looking at a logger', effectOf, undefined)?.paths[0] ?? '');
    if (!notTurned.has(folder))
      this.judge.note(`Logs in ${folder} were not turned over (fs.${key}): a replay changes no file.`);
    notTurned.add(folder);
    return true;
  }

  /** That a call reads a file which was appended to: what it would read is not there. */
  readsAppended(key: string, name: string, [given]: readonly unknown[]): FileEffect | undefined {
    const owner = this.judge.ownerOfProcess();
    const appended = owner === undefined ? undefined : this.asides.get(owner.player)?.appended;
    if (appended === undefined || appended.isEmpty || !readsFile(key)) return undefined;
    const path = absolutePath(given);
    const file = path === undefined ? undefined : realPath(path);
    if (path === undefined || file === undefined || !appended.has(file)) return undefined;
    return { type: 'file', name, paths: [file], target: path, readsAppended: true };
  }
}
