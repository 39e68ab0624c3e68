import type { BoundaryDefinition } from '@reenact/instrumentation';
import { type Crossing, crossingLabel, type SetUp } from '@reenact/trace-model';
import * as wording from './divergence-wording.ts';
import { BEFORE_RUN, type LookUp, type LookUpResult } from './look-up.ts';

/** A call that no recorded crossing is left for. */
export interface MissingCall {
  readonly missing: Extract<LookUpResult, { type: 'missing' }>;
  readonly path: string;
  readonly boundary: BoundaryDefinition;
  readonly lookUp: LookUp;
  readonly setUp: SetUp | undefined;
  /** The recorded crossing whose code runs for real and makes the call; undefined where it is made elsewhere. */
  readonly inside: Crossing | undefined;
}

/** What is said of a call that was not recorded, or not as often, by where it was made. */
export function missingWording({ missing, path, boundary, lookUp, setUp, inside }: MissingCall): wording.Wording {
  const label = crossingLabel(boundary);
  const { reason, under, closest, sameBy } = missing;
  if (under === BEFORE_RUN) return wording.beforeTheRun(label, lookUp.root);
  if (under === setUp?.spanId) return wording.notInSetUp(path, lookUp.root, { setUp, hasSome: reason === 'exhausted' });
  const words =
    reason === 'never-recorded'
      ? wording.neverRecorded({ path, boundary }, closest, sameBy)
      : wording.exhausted(path, closest, label, lookUp.countUnder(under, label));
  return inside === undefined || sameBy !== undefined ? words : wording.insideLive(words, { path, boundary }, inside);
}
