import {
  type Crossing,
  canonicalJson,
  canonicalPolicy,
  canonicalTree,
  type Payload,
  payloadTree,
} from '@reenact/trace-model';
import type { InputComparer, InputComparison, LiveInput } from '../equality/input-comparison.ts';
import type { EventSink } from '../events/event-sink.ts';
import { listed } from '../listed.ts';
import { ignoredValues } from '../plan/ignored-fields.ts';
import type { ResolvedPlan } from '../resolution/resolved-plan.ts';
import type { ArrivalReporter, DivergenceDetails } from './arrival-reporter.ts';
import * as wording from './divergence-wording.ts';
import { withMissingRules } from './missing-rules.ts';
import { type ModelInputDifference, modelInputDifference } from './model-input.ts';

/** One compared input. */
export interface ComparedInput {
  readonly recorded: Crossing;
  readonly input: LiveInput;
  readonly comparison: InputComparison;
  readonly ambiguous: boolean;
  readonly isServed: boolean;
}

/** An input of a crossing as it is compared, and as paths of a plan lead into it: a body of JSON is no text there. */
function comparedTree({ canonicalPolicy: name }: Crossing, input: Payload): unknown {
  const policy = canonicalPolicy(name);
  const tree = payloadTree(input);
  return policy === undefined ? tree : canonicalTree(policy, tree);
}

/** Says under the profile of the plan how a live input differs from the recorded one. */
export class InputReport {
  private readonly comparer: InputComparer;
  private readonly plan: ResolvedPlan;
  private readonly sink: EventSink;

  constructor(comparer: InputComparer, plan: ResolvedPlan, sink: EventSink) {
    this.comparer = comparer;
    this.plan = plan;
    this.sink = sink;
  }

  /** Reports one input, before the agent can notice anything. */
  report(compared: ComparedInput, reporter: ArrivalReporter, details: DivergenceDetails): void {
    const { recorded, comparison } = compared;
    this.reportIgnored(compared);
    switch (comparison.type) {
      case 'changed':
        this.reportChanged(compared, reporter, details);
        break;
      case 'unknown':
        reporter.note(`The input of ${recorded.path} was not compared: ${comparison.why}.`, true, recorded.path);
        break;
      case 'equal':
        this.reportEqual(comparison, recorded, reporter);
        break;
    }
  }

  /** Nothing differs, and not all could be compared. */
  private reportEqual(
    { unverified, withoutContent, unseen }: Extract<InputComparison, { type: 'equal' }>,
    { path }: Crossing,
    reporter: ArrivalReporter,
  ): void {
    if (unverified.length > 0) {
      const text = `The input of ${path} is redacted at ${listed(unverified)}, and is unverified there.`;
      reporter.note(text, true, path);
    }
    if (withoutContent !== undefined) {
      const text = `The recorded input of ${path} holds nothing that could be compared at ${listed(withoutContent)}, and is unverified there.`;
      reporter.note(text, true, path);
    }
    if (unseen !== undefined) {
      const text = `The input of ${path} was compared by what shows of it: what else ${listed(unseen)} holds is not recorded.`;
      reporter.note(text, false, path);
    }
  }

  private reportChanged(compared: ComparedInput, reporter: ArrivalReporter, details: DivergenceDetails): void {
    const { recorded, input, ambiguous, isServed } = compared;
    const trees = this.comparer.trees(recorded, input);
    if (recorded.kind === 'model' && trees.recorded !== undefined) {
      this.reportModel(modelInputDifference(trees), compared, reporter, details);
      return;
    }
    const { difference, leaves } = this.comparer.difference(recorded, input);
    const changed = wording.inputChanged(recorded, reporter.path, difference, isServed);
    const words = withMissingRules(changed, recorded, difference);
    reporter.divergence('input-changed', words, { ...details, difference, inputLeaves: leaves, ambiguous });
  }

  private reportModel(
    { tools, rest }: ModelInputDifference,
    { recorded, ambiguous, isServed }: ComparedInput,
    reporter: ArrivalReporter,
    details: DivergenceDetails,
  ): void {
    if (rest !== undefined && this.plan.profile === 'edit-tolerant') {
      reporter.note(wording.toleratedInput(recorded, rest.members, rest.difference), false, recorded.path);
    } else if (rest !== undefined) {
      const { difference, leaves } = rest;
      const changed = wording.inputChanged(recorded, reporter.path, difference, isServed);
      const words = withMissingRules(changed, recorded, difference);
      reporter.divergence('input-changed', words, { ...details, difference, inputLeaves: leaves, ambiguous });
    }
    if (tools === undefined) return;
    const words = wording.schemaChanged(recorded, reporter.path, tools.changes, tools.difference);
    const { difference, leaves } = tools;
    reporter.divergence('schema-changed', words, { ...details, difference, inputLeaves: leaves });
  }

  /** Which ignore rules found something in this input; what they hid is known here only. */
  private reportIgnored({ recorded, input }: ComparedInput): void {
    for (const { index, path, matched } of this.plan.ignores) {
      if (path.of === 'request' || !matched.has(recorded) || recorded.input?.data === undefined) continue;
      const before = ignoredValues(comparedTree(recorded, recorded.input), path);
      const now = ignoredValues(comparedTree(recorded, input.value.payload), path);
      if (before.length === 0 && now.length === 0) continue;
      this.sink.write({ type: 'ignored', rule: index, differs: canonicalJson(before) !== canonicalJson(now) });
    }
  }
}
