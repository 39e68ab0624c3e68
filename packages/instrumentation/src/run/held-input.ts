import { processState } from '@reenact/trace-model';

/**
 * What the process was given last of its standard input, where more of the same may follow: keys of one line, parts of a large file. It is recorded
 * before the next crossing begins or ends, so that it has its place among them. `hand` does so; absent: nothing is held.
 */
export const heldInput = processState('held-input.1', (): { hand?: (() => void) | undefined } => ({}));
