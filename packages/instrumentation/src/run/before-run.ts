import { processState } from '@reenact/trace-model';
import type { UnseenConnections } from './unseen-connections.ts';

/** Gives the list of connections of a run that begins now, with what the program around it has; absent until somebody watches. */
export const beforeRun = processState(
  'before-run.1',
  (): { connections?: (isRequest: boolean) => UnseenConnections | undefined } => ({}),
);
