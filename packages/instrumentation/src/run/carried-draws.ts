import type { LateMember } from './draw-tape.ts';

/** What one crossing carries of others (docs/adr/0049). */
export interface CarriedDraws {
  readonly late: LateMember | undefined;
  /** What of it was not kept. */
  readonly marks: readonly string[];
}
