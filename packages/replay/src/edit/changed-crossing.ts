import type { Crossing, JsonDiff } from '@reenact/trace-model';
import { outcomeDifference } from '../equality/outcome-comparison.ts';
import { parseEditTarget } from '../plan/edit-target.ts';
import type { EditRule, FailRule } from '../plan/plan-schema.ts';
import { editedExchangeOutcome } from './exchange-edit.ts';
import { failedCrossing } from './failed-crossing.ts';
import { editedValueOutcome, type PreparedEdit } from './outcome-edit.ts';

/** A crossing whose outcome the plan changed: what is served in its place, and what is other about it. */
export interface ChangedCrossing {
  readonly served: Crossing;
  readonly policy: 'edit' | 'fail';
  readonly difference: JsonDiff;
  /** Values that were not there before: evidence for what they lead to. */
  readonly leaves: readonly string[];
  /** How many attempts of a client library fail before what was recorded is served; undefined where that is never. */
  readonly failedAttempts?: number | undefined;
}

/** An edit rule, its target read. Throws ReenactError `bad-plan`. */
export function preparedEdit({ at, value }: EditRule): PreparedEdit {
  return { target: parseEditTarget(at), value, text: at };
}

function applied(recorded: Crossing, edits: readonly EditRule[]): Crossing {
  return edits.map(preparedEdit).reduce<Crossing>((crossing, edit) => {
    return recorded.call === 'exchange' ? editedExchangeOutcome(crossing, edit) : editedValueOutcome(crossing, edit);
  }, recorded);
}

/** Applies the rules that name a crossing. Throws ReenactError `bad-plan` where one of them cannot be applied. */
export function changedCrossing(recorded: Crossing, rules: readonly (EditRule | FailRule)[]): ChangedCrossing {
  const failing = rules.find((rule) => rule.policy === 'fail');
  const edits = rules.filter((rule) => rule.policy === 'edit');
  const changed = failing === undefined ? applied(recorded, edits) : failedCrossing(recorded, failing);
  // What the plan says is all there, also where of what was recorded nothing was kept.
  const served: Crossing = { ...changed, capture: 'full' };
  const policy = failing === undefined ? 'edit' : 'fail';
  return { served, policy, failedAttempts: failing?.attempts, ...outcomeDifference(recorded, served) };
}
