import { processState } from '@reenact/trace-model';
import type { Beginning } from './beginning.ts';
import type { RunUnderWay } from './run-under-way.ts';
import type { UnseenConnections } from './unseen-connections.ts';

/** What is asked and told where a run begins; absent until somebody watches. */
interface BeforeRun {
  /** Gives the list of connections of a run that begins now, with what the program around it has. */
  connections?: (isRequest: boolean, beginning: Beginning) => UnseenConnections | undefined;
  /** Told of each run that begins and is recorded, before anything of its code runs. */
  begins?: (run: RunUnderWay) => void;
}

/** Who watches what a run begins with. */
export const beforeRun = processState('before-run.2', (): BeforeRun => ({}));
