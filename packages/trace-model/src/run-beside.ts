import type { Crossing } from './crossing.ts';
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

/** The runs of the process that a replay of one of them needs. */
export interface RunsBeside {
  /** The place of that run; 0 where it is the run of the process itself, or says nothing of others. */
  readonly place: number;
  /** Those that began before it or while it went on, in start order; what its service began at its start before the requests. */
  readonly runs: readonly RunBeside[];
  /** One that is not held; those before it are not known. */
  readonly missing: RunLink | undefined;
  /** Of a request, the latest one before it that is not held; no replay needs it that is not to go through it (docs/adr/0050). */
  readonly requestBefore: RunLink | undefined;
}
