import type { InputPiece } from '@reenact/trace-model';
import type { Position } from '../gate/player.ts';
import { raiseInRun } from '../signals/raise-in-run.ts';
import { inputCall } from './input-call.ts';

/** Standard input that a run was given. */
export interface RaisedInput {
  readonly pieces: readonly InputPiece[];
  /** Inside the run that it was recorded in. */
  readonly position: Position;
}

/**
 * Tells a run of the input that it was given when it was recorded, through the gate, which looks it up and compares it. Gives whether the program is to
 * have it; false where that run does not go on in this process any more.
 */
export function raiseInput({ pieces, position }: RaisedInput): boolean {
  return raiseInRun(inputCall(pieces), position);
}
