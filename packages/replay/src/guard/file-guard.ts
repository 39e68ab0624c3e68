import { dirname } from 'node:path';
import {
  absolutePath,
  appendingPath,
  type Callee,
  type FileEffect,
  fileToAppend,
  guarded,
  isCodeOfPackage,
  LogGenerations,
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

/** One call of a function of `node:fs`. */
export interface FileCall {
  /** The function by its name. */
  readonly key: string;
  readonly given: readonly unknown[];
  /** By way of which it is called. */
  readonly callee: Callee;
  readonly effectOf: () => FileEffect | undefined;
}

/** What one replay has done in another way. */
interface Aside {
  readonly appended: AppendedAside;
  readonly generations: LogGenerations;
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
      generations: new LogGenerations(),
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
    const { appended, generations } = this.asideFor(owner);
    const aside = appended.of(path);
    if (aside?.isNew === true) {
      generations.add(path);
      this.judge.note(`What is appended to ${path} went to ${aside.file} instead: a replay changes no file.`);
    }
    return aside?.file;
  }

  /** What this replay has done in another way already; undefined where no process was started for it. */
  private knownAside(): Aside | undefined {
    const owner = this.judge.ownerOfProcess();
    return owner === undefined ? undefined : this.asides.get(owner.player);
  }

  /** The file that takes what a logger, by way of `callee`, packs of a log that went aside; undefined for any other call. Never throws. */
  packedAside({ key, given, callee, effectOf }: FileCall): string | undefined {
    const aside = this.knownAside();
    const packed = guarded('looking at a log', () => aside?.generations.packedBy(key, given), undefined);
    if (aside === undefined || packed === undefined) return undefined;
    if (!guarded('looking at a logger', () => isCodeOfPackage(callee), false)) return undefined;
    if (this.judge.whoRefuses(effectOf) === undefined) return undefined;
    aside.generations.pack(packed);
    this.noteTurned(aside, dirname(packed), key);
    return aside.appended.packed(packed);
  }

  /** The file that stands for a log which is opened to be packed; undefined for any other call. Never throws. */
  packedSource(key: string, [given, flags]: readonly unknown[]): string | undefined {
    const aside = this.knownAside();
    if (aside === undefined || aside.appended.isEmpty || !/^open(?:Sync)?$/.test(key) || (flags ?? 'r') !== 'r')
      return undefined;
    const path = absolutePath(given);
    const file = path === undefined ? undefined : realPath(path);
    if (file === undefined || !aside.appended.has(file) || !aside.generations.isPacked(file)) return undefined;
    return aside.appended.of(file)?.file;
  }

  private noteTurned({ notTurned }: Aside, folder: string, key: string): void {
    if (!notTurned.has(folder))
      this.judge.note(`Logs in ${folder} were not turned over (fs.${key}): a replay changes no file.`);
    notTurned.add(folder);
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
  leavesLogAsIs({ key, callee, effectOf }: FileCall): boolean {
    if (this.judge.ownerCount === 0) return false;
    const paths = (): readonly (string | undefined)[] => effectOf()?.paths ?? [];
    const turns = (): boolean =>
      turnsLogOver(key, callee) ||
      (this.knownAside()?.generations.turnsOver(key, paths()) === true && isCodeOfPackage(callee));
    const owner = guarded('looking at a logger', turns, false) ? this.judge.whoRefuses(effectOf) : undefined;
    if (owner === undefined) return false;
    const aside = this.asideFor(owner);
    const [from = '', to] = guarded('looking at a logger', paths, []);
    const isFolder = key.startsWith('mkdir') && aside.generations.turnsOver(key, [from]);
    if (!key.startsWith('mkdir')) aside.appended.turnOver(from, to);
    this.noteTurned(aside, isFolder ? from : dirname(from), key);
    return true;
  }

  /** The file to tell how long a log is by whose renaming or removal was left out; undefined for any other. A logger would turn it over again and again. */
  turnedLog(given: unknown): string | undefined {
    const appended = this.knownAside()?.appended;
    if (appended === undefined || appended.isEmpty) return undefined;
    const path = guarded('looking at a log', () => absolutePath(given), undefined);
    return path === undefined ? undefined : guarded('looking at a log', () => appended.anew(realPath(path)), undefined);
  }

  /** That a call reads a file which was appended to: what it would read is not there. */
  readsAppended(key: string, name: string, [given]: readonly unknown[]): FileEffect | undefined {
    const appended = this.knownAside()?.appended;
    if (appended === undefined || appended.isEmpty || !readsFile(key)) return undefined;
    const path = absolutePath(given);
    const file = path === undefined ? undefined : realPath(path);
    if (path === undefined || file === undefined || !appended.has(file)) return undefined;
    return { type: 'file', name, paths: [file], target: path, readsAppended: true };
  }
}
