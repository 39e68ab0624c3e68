import { processState } from '@reenact/trace-model';
import type { UnseenConnections } from './unseen-connections.ts';

/** Gives what a run that begins now has of the program around it; absent until somebody watches. */
export const beforeRun = processState(
  'before-run.1',
  (): { connections?: () => UnseenConnections | undefined } => ({}),
);
