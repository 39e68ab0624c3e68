import { processState } from '@reenact/trace-model';

const served = processState('served-processes.1', () => new Set<number>());

/** What ends a process that does nothing about it, as `process.kill` is given it. */
const endings: ReadonlySet<unknown> = new Set([undefined, 'SIGTERM', 'SIGKILL', 'SIGINT', 'SIGHUP', 15, 9, 2, 1]);

/**
 * Has signals to a process of this number reach nobody: it was one when the run was recorded, a replay hands its number on and starts none, and the number
 * may be anybody's now. Returns how to end that.
 */
export function serveProcess(processId: number): () => void {
  served.add(processId);
  return () => void served.delete(processId);
}

/** Whether a call of `process.kill` is for a process that a replay stands in for. That has gone with the first signal that ends it: programs wait for that. */
export function takesSignal([target, signal]: readonly unknown[]): boolean {
  const processId = Math.abs(Number(target));
  if (!served.has(processId)) return false;
  if (endings.has(signal)) served.delete(processId);
  return true;
}
