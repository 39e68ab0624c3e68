import type { Resource } from '@opentelemetry/resources';
import type { StoredFrame } from './spool-segment.ts';

/** Where in the spool one span is, and whether it still has to stay there. */
export interface SpoolTicket {
  readonly resource: Resource;
  /** Absent while it is written off the path, and where it could not be written. */
  frame: StoredFrame | undefined;
  /** The frame that said it had started, or stands for it while it is written. */
  pending: StoredFrame | undefined;
  isSettled: boolean;
  /** Its frame says that it goes on, as that of any start does: only memory knows that this one is to be delivered. */
  readonly isOpen?: boolean;
}
