import { isDelivery } from '../crossings/canonical-input.ts';
import type { Crossing } from '../crossings/crossing.ts';

/**
 * Signals that tell of something else than what somebody wants of the program: the terminal and its job control, children, descriptors, a
 * profiler, a debugger. The platform and tools listen for these, and no process ends of most of them.
 */
const WITHOUT_MESSAGE: ReadonlySet<string> = new Set([
  'SIGWINCH',
  'SIGTSTP',
  'SIGTTIN',
  'SIGTTOU',
  'SIGCONT',
  'SIGCHLD',
  'SIGPIPE',
  'SIGIO',
  'SIGPOLL',
  'SIGURG',
  'SIGINFO',
  'SIGPROF',
]);

/** Whether a signal of this name, one that the platform knows, is recorded where it reaches a listener (docs/adr/0043). */
export function isTellingSignal(name: string): boolean {
  return !WITHOUT_MESSAGE.has(name);
}

/** Whether a crossing is a signal that reached the listeners of its process (docs/adr/0043). */
export function isSignalDelivery(crossing: Pick<Crossing, 'kind' | 'name' | 'canonicalPolicy'>): boolean {
  return crossing.kind === 'message' && /^SIG[A-Z0-9]+$/.test(crossing.name) && isDelivery(crossing);
}
