import { gate } from '../admission/current-gate.ts';
import { guarded } from '../host/report-failure.ts';

/** What of a recording processor is needed as its process exits. */
export interface ClosedAtExit {
  /** Writes what is not on the disk yet, and takes the spool away where nothing waits in it. Synchronous. */
  closeSpool(): unknown;
}

const open = new Set<ClosedAtExit>();

function exiting(exitCode: number): void {
  gate.processEnds(exitCode);
  for (const processor of open) guarded('closing the spool', () => processor.closeSpool(), undefined);
}

function leave(processor: ClosedAtExit): void {
  open.delete(processor);
  if (open.size === 0) process.off('exit', exiting);
}

/**
 * Has the spool of a processor closed as its process exits, where nobody shut it down before: the folder of a program that delivered all
 * would else stay, one for each time it runs. Gives how to take that back.
 */
export function closeAtExit(processor: ClosedAtExit): () => void {
  if (open.size === 0) process.on('exit', exiting);
  open.add(processor);
  return () => leave(processor);
}
