import { isMainThread } from 'node:worker_threads';
import { Lookout, NativeFiles } from '@reenact/instrumentation';
import type { EffectJudge, GuardOwner } from './effect-judge.ts';

/** What databases have beside a file to read it: locks, and what tells of changes. Of one that writes the file itself is open, too. */
const besidePattern = /(?:-shm|-wal|-journal|[/-]lock\.mdb|\.mdb-lock)$/;

/**
 * Finds the files that native add-ons open for writing, where the whole process is a replay's: what Node.js opens is judged before. It cannot
 * be refused, so the report says that it happened, and the process ends before more of it does. Only on Linux.
 */
export class AddOnFiles {
  private readonly files = new NativeFiles();
  private readonly lookout = new Lookout();
  private readonly judge: EffectJudge;
  private readonly loaded = new Set<string>();

  constructor(judge: EffectJudge) {
    this.judge = judge;
  }

  /** Call it before an add-on is loaded, and what it gives once it is; gives whether its files are seen. */
  beforeLoad(): (name: string) => boolean {
    if (!isMainThread || process.platform !== 'linux') return () => false;
    if (this.judge.ownerOfProcess()?.stopProcess === undefined) return () => false;
    if (!this.lookout.isOn) this.files.settle();
    return (name) => {
      this.loaded.add(name);
      this.lookout.start(() => this.look());
      return true;
    };
  }

  /** Looks no more, until another add-on is loaded. */
  stop(): void {
    this.lookout.stop();
  }

  private look(): void {
    const owner = this.judge.ownerOfProcess();
    if (owner?.stopProcess === undefined) return;
    const refused = this.files.look().filter((path) => {
      const isAllowed = owner.allowed.allows({ type: 'file', name: 'open', paths: [path], target: path });
      return !isAllowed && !besidePattern.test(path);
    });
    if (refused.length === 0) return;
    this.stop();
    for (const path of refused) this.report(owner, path);
    owner.stopProcess();
  }

  private report({ player }: GuardOwner, path: string): void {
    player.reportForbidden({
      message: `A native add-on opened ${path} for writing, and this process was ended: no boundary covers it, and what an add-on does cannot be refused beforehand. Loaded: ${[...this.loaded].join(', ')}.`,
      next: `Put a boundary such as tool() around the code that uses the add-on and record again: a replay then answers it. To let it happen: --allow-path ${path}.`,
      position: undefined,
      source: undefined,
      happened: true,
    });
  }
}
