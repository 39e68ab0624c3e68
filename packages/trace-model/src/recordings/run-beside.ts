import type { Crossing } from '../crossings/crossing.ts';
import type { Recording } from './recording.ts';

/** Where another run of the same process was recorded, as the root of a run says (docs/adr/0034). */
export interface RunLink {
  readonly traceId: string;
  /** Its root. */
  readonly spanId: string;
  /** Its place among the runs of the process in start order, from 1; that of a request among those that may have left something in memory. */
  readonly place: number;
}

/** Another run of the process that a run was recorded in. */
export interface RunBeside {
  readonly recording: Recording;
  readonly root: Crossing;
  /** Its place among the runs of the process in start order, from 1. */
  readonly place: number;
}

/** How a request stands among those of its process that may have left something in memory. Places are counted from 1. */
export interface RequestsBeside {
  /** Its own place. */
  readonly place: number;
  /** How many others began before it ended. */
  readonly recorded: number;
  /** How many of these are held. */
  readonly held: number;
  /** Those that are named and not held, the latest first; no replay needs them that is not to go through them. What only they name is not known. */
  readonly missing: readonly RunLink[];
  /** Those that came last while one of these went on, not held: whether they began before it ended, too, is seen once they are. */
  readonly perhaps: readonly RunLink[];
  /** Those whose answers gave it what it brought back, a cookie for one (docs/adr/0053); the place of one that is none of the others is 0. */
  readonly given: readonly RunLink[];
}

/** The runs of the process that a replay of one of them needs. */
export interface RunsBeside {
  /** The place of that run; 0 where it is the run of the process itself, or says nothing of others. */
  readonly place: number;
  /** Those that began before it or while it went on, in start order. Of a request also those held, behind what its service began at its start. */
  readonly runs: readonly RunBeside[];
  /** One that is not held; those before it are not known. */
  readonly missing: RunLink | undefined;
  /** Of a request, how it stands among those that came to its process (docs/adr/0050); undefined where nothing is said of others. */
  readonly requests: RequestsBeside | undefined;
}
