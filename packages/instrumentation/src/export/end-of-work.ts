import { processState } from '@reenact/trace-model';
import { pristine } from '../host/pristine.ts';
import { guarded } from '../host/report-failure.ts';
import { standBeforeEmit } from '../patching/stand-before-emit.ts';

/** What is done once the program has run out of work; given the exit code as it stands then. */
export type EndOfWork = (exitCode: number) => void;

/** Listed from when a standard stream is used first, and keeping nothing alive. */
const STANDARD_STREAM = /^(TTY|Pipe)Wrap$/;

/** How many of each kind the platform lists as under way now. */
function underWay(): Map<string, number> {
  const counts = new Map<string, number>();
  for (const kind of process.getActiveResourcesInfo())
    if (!STANDARD_STREAM.test(kind)) counts.set(kind, (counts.get(kind) ?? 0) + 1);
  return counts;
}

function hasMoreThan(before: ReadonlyMap<string, number>): boolean {
  return Array.from(underWay()).some(([kind, count]) => count > (before.get(kind) ?? 0));
}

/** Calls `then` when all listeners have been called, and what they promised has come as far as it does without the event loop. */
function afterReactions(then: () => void): void {
  pristine.nextTick(() => void Promise.resolve().then(() => pristine.nextTick(then)));
}

/** Has every `beforeExit` from now on come to `taken` instead of the listeners of the host. Returns how to undo it. */
function takeEmissions(taken: () => void): () => void {
  return standBeforeEmit(({ event, hand }) => {
    if (event !== 'beforeExit') return hand();
    taken();
    return false;
  });
}

/** Finds the last `beforeExit` that comes of what the program does. One for all copies: what one of them then sends is no work of the program to another. */
class WorkWatch {
  private readonly works = new Set<EndOfWork>();

  add(work: EndOfWork): () => void {
    if (this.works.size === 0) process.on('beforeExit', this.ranOut);
    this.works.add(work);
    return () => {
      this.works.delete(work);
      if (this.works.size === 0) process.off('beforeExit', this.ranOut);
    };
  }

  /** A listener of the host may begin more (an exporter that sends what is left): then Node.js says once more that it has run out. */
  private readonly ranOut = (exitCode: number): void => {
    const before = underWay();
    afterReactions(() => {
      if (hasMoreThan(before)) return;
      pristine.setImmediate(() => {
        if (!hasMoreThan(before)) this.lookAgain(exitCode);
      });
    });
  };

  /** What is not listed, as what compresses or encrypts beside the event loop, has an immediate called that does not keep the process. */
  private lookAgain(exitCode: number): void {
    let hasEnded = false;
    const restore = takeEmissions(() => {
      // What comes later comes of what we send: the host would never have been told.
      if (hasEnded) return;
      hasEnded = true;
      pristine.clearImmediate(sign);
      this.end(exitCode);
    });
    const sign = pristine.setImmediate(restore).unref();
  }

  private end(exitCode: number): void {
    process.off('beforeExit', this.ranOut);
    for (const work of this.works) guarded('ending the work of the process', () => work(exitCode), undefined);
  }
}

const watch = processState('end-of-work.1', () => new WorkWatch());

/**
 * Has `work` done when the process has run out of work for good, in time for what is not synchronous. What the listeners of `beforeExit` began is over then, and
 * they are not told of what `work` begins: each is called as often as without us. Not done where the process ends otherwise: ask for
 * `exit`, too. Returns how to take that back.
 */
export function atEndOfWork(work: EndOfWork): () => void {
  return watch.add(work);
}
