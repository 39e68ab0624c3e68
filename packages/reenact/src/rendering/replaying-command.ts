import type { Recording } from '@reenact/trace-model';

/** Which command replays a run: what others recorded, and was rebuilt of it, is answered from outside of the process. */
export function replayingCommand({ crossings }: Recording): 'replay' | 'serve' {
  return crossings.some(({ reconstructed }) => reconstructed === true) ? 'serve' : 'replay';
}
