import type { InputTape } from './input-tape.ts';

/** How what is read is kept: all of it, or that it was. */
export interface InputWatch {
  /** Whether input is recorded; else the runs behind a read are marked for it. */
  readonly isRecorded: boolean;
  readonly tape: InputTape;
}
