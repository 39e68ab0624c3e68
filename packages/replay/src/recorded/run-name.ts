import type { RunBeside } from '@reenact/trace-model';

/** A run beside the replayed one, as messages name it. */
export function runName({ place, root, recording }: RunBeside): string {
  return `run ${place} of the process, ${root.path} (trace ${recording.traceId})`;
}
