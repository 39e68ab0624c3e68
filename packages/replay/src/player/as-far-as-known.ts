import type { Crossing } from '@reenact/trace-model';

/**
 * A stream that was open when its process ended was left by nobody, though a recording may say how its reader stood to it then: who reads on is behind
 * the recording, and has read nothing that was not to be read.
 */
export function asFarAsKnown(recorded: Crossing, root: Crossing): Crossing {
  const { outcome, settled, closedUs } = recorded;
  const isOpen = outcome.type === 'aborted' && settled === undefined && closedUs === undefined;
  if (!isOpen || root.outcome.type !== 'pending') return recorded;
  return { ...recorded, outcome: { type: 'aborted', chunks: outcome.chunks } };
}
