import type { CallShape, EncodedValue } from '@reenact/trace-model';
import type { RawOutcome } from '../gate/gate.ts';
import { canBeChanged, changedPlaces } from '../results/changed-input.ts';
import type { CrossingScope } from '../run/crossing-scope.ts';
import type { CrossingStart } from './open-crossing.ts';

/** The values that a call runs with, which its code may change. */
export class WatchedInput {
  private readonly order: number;
  private readonly around: CrossingScope;
  private readonly parameters: readonly unknown[];
  private readonly wasAlone: boolean;

  constructor(order: number, around: CrossingScope, parameters: readonly unknown[]) {
    this.order = order;
    this.around = around;
    this.parameters = parameters;
    this.wasAlone = order === (around.endedInside ?? 0);
  }

  /**
   * Nobody but the call changed anything: it ended before its caller went on, or its caller waited for it alone. Else the caller
   * may have, and does so again in a replay.
   */
  private isOfCall(outcome: RawOutcome, call: CallShape | undefined): boolean {
    if (outcome.type !== 'returned' && outcome.type !== 'threw') return false;
    return call === 'sync' || (this.wasAlone && this.around.nextOrder === this.order + 1);
  }

  /** The lossy marks for what the call has changed of its input. To be asked before the crossing has ended. */
  marks(outcome: RawOutcome, call: CallShape | undefined, input: EncodedValue): readonly string[] {
    if (!this.isOfCall(outcome, call)) return [];
    return changedPlaces(input, this.parameters).map((place) => `/input${place} changed by the call`);
  }
}

/** Undefined where a replay runs the code again, and where there is nothing that could be changed. */
export function watchedInput(
  { boundary, scope, order }: CrossingStart,
  around: CrossingScope | undefined,
  parameters: readonly unknown[],
): WatchedInput | undefined {
  if (around === undefined || scope.isAgent === true || boundary.capture !== 'full') return undefined;
  return canBeChanged(parameters) ? new WatchedInput(order, around, parameters) : undefined;
}
