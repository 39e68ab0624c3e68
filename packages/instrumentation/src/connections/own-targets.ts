import { processState } from '@reenact/trace-model';
import { OWN_TARGETS_MAX } from '../limits.ts';
import { connectTarget } from './connect-target.ts';

/** Ports and paths that this process itself connects to. */
const ownTargets = processState('own-targets.1', () => new Set<unknown>());

/** Notes where a socket of this process connects. `parameters`: of `net.Socket.prototype.connect`. */
export function noteOwnTarget(parameters: readonly unknown[]): void {
  const target = connectTarget(parameters);
  if (target !== undefined && ownTargets.size < OWN_TARGETS_MAX)
    ownTargets.add('path' in target ? target.path : target.port);
}

/** The same of the port that a datagram goes to. */
export function noteOwnPort(port: number): void {
  if (ownTargets.size < OWN_TARGETS_MAX) ownTargets.add(port);
}

/** Whether this process connects there: what comes to a server of it at that place may be its own, and comes again in a replay. */
export function isOwnTarget(place: unknown): boolean {
  return ownTargets.has(place);
}
