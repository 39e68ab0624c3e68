import { pristine } from '@reenact/instrumentation';

/** How many of each kind keep the process alive now, by the names Node.js gives them. */
function keepingAlive(): Map<string, number> {
  const counts = new Map<string, number>();
  for (const kind of process.getActiveResourcesInfo()) counts.set(kind, (counts.get(kind) ?? 0) + 1);
  return counts;
}

function hasMore(now: ReadonlyMap<string, number>, before: ReadonlyMap<string, number>): boolean {
  return Array.from(now).some(([kind, count]) => count > (before.get(kind) ?? 0));
}

/**
 * Calls `ended` when the process has run out of work for good. A listener of `beforeExit` may begin more (an exporter that sends what is
 * left), and what it does belongs to the run of the process like everything before: so the end is the first `beforeExit` after which
 * nothing goes on. Where nothing `isOpen`, it is the first one, because looking again makes Node.js emit another. Not called where
 * the process ends otherwise: ask for `exit`, too.
 */
export function onEndOfWork(isOpen: () => boolean, ended: (exitCode: number) => void): void {
  const end = (exitCode: number): void => {
    process.off('beforeExit', ranOut);
    ended(exitCode);
  };
  const ranOut = (exitCode: number): void => {
    if (!isOpen()) {
      end(exitCode);
      return;
    }
    const before = keepingAlive();
    // When every listener has been called, and what they promised has come as far as it does by itself.
    pristine.setImmediate(() => {
      if (!hasMore(keepingAlive(), before)) end(exitCode);
    });
  };
  process.on('beforeExit', ranOut);
}
