import type { Context } from '@opentelemetry/api';

/** What a root is: a run that the program began, the run of the whole process, or a request that came in. */
export type RootKind = 'run' | 'process-run' | 'request';

/** A run that goes on in this process. */
export interface RunUnderWay {
  readonly kind: RootKind;
  /** Inside of its root. */
  readonly context: Context;
  /** Whether it is part of what another process does. */
  readonly isEnclosed?: boolean;
}
