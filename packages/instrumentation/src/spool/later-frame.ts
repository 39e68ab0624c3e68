import type { FrameType } from './spool-frame.ts';
import type { SpoolTicket } from './spool-ticket.ts';

/** A crossing that is handed over before its end ends later: the reader takes the end, wherever both are. */
type KeptType = Extract<FrameType, 'ended' | 'pending'>;

/** A crossing too large for the path, as it is to be written. */
export interface WholeFrame {
  readonly ticket: SpoolTicket;
  readonly type: KeptType;
  readonly parts: readonly string[];
}

/** One that waits to be written off the path. */
export interface LaterFrame extends WholeFrame {
  /** Resolves when the disk has it, has refused it, or need not have it any more. */
  readonly written: PromiseWithResolvers<void>;
}
