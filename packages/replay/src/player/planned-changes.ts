import {
  type Crossing,
  changesTheWorld,
  diffTrees,
  type EditPolicy,
  type Effect,
  payloadTree,
} from '@reenact/trace-model';
import { applyInputEdits } from '../edit/edited-input.ts';
import { PerturbedValues } from '../edit/perturbed-values.ts';
import { withValueInTree } from '../edit/value-at-path.ts';
import { changedLeaves } from '../equality/changed-leaves.ts';
import type { ResolvedPlan, Treatment } from '../resolution/resolved-plan.ts';
import type { ArrivalReporter, DivergenceDetails } from './arrival-reporter.ts';
import * as wording from './divergence-wording.ts';

interface CalledBoundary {
  readonly kind: string;
  readonly effect: Effect;
}

/** What the plan of one replay changes on purpose: outcomes, inputs, and everything behind a fork. */
export class PlannedChanges {
  private readonly plan: ResolvedPlan;
  private readonly perturbed: PerturbedValues | undefined;
  private hasForked = false;

  constructor(plan: ResolvedPlan) {
    this.plan = plan;
    this.perturbed = plan.perturbsIgnored ? new PerturbedValues(plan.ignores) : undefined;
  }

  /** The recorded crossing from which on this replay goes its own way; undefined where it is no fork. */
  get forkOf(): { readonly traceId: string; readonly spanId: string } | undefined {
    const { fork } = this.plan;
    return fork === undefined ? undefined : { traceId: fork.traceId, spanId: fork.spanId };
  }

  /** What is served for a recorded crossing: itself, unless the plan says something else. */
  servedAs(recorded: Crossing): Crossing {
    const served = this.plan.changeOf(recorded)?.served ?? recorded;
    return this.perturbed?.served(served) ?? served;
  }

  /** Notes that a crossing is met; from the fork's on, calls run for real. */
  entered(recorded: Crossing, reporter: ArrivalReporter, recordedAtUs: number): void {
    if (recorded !== this.plan.fork || this.hasForked) return;
    this.hasForked = true;
    reporter.edited('fork', wording.forked(reporter.path), {
      candidate: recorded,
      recordedAtUs,
      takesEffect: 'at-once',
      insideAtOnce: true,
    });
  }

  /** Reports what the plan changed about a crossing that is about to be answered, and says by which policy. */
  report(
    recorded: Crossing,
    treatment: Treatment,
    reporter: ArrivalReporter,
    detailsOf: () => DivergenceDetails,
  ): EditPolicy | undefined {
    const change = treatment === 'stub' ? this.plan.changeOf(recorded) : undefined;
    if (change !== undefined) {
      const { difference, leaves, policy } = change;
      const words = wording.editedOutcome(recorded, reporter.path, change);
      reporter.edited(policy, words, { ...detailsOf(), difference, outcomeLeaves: leaves });
      return policy;
    }
    if (treatment !== 'live') return undefined;
    const edits = this.plan.inputEditsOf(recorded);
    if (edits.length > 0) {
      const before = recorded.input?.data === undefined ? undefined : payloadTree(recorded.input);
      const after = edits.reduce<unknown>((tree, { path, value }) => {
        const replaced = withValueInTree(tree, path, value);
        return 'value' in replaced ? replaced.value : tree;
      }, before);
      const difference = diffTrees(before, after);
      reporter.edited('edit', wording.editedInput(reporter.path), {
        ...detailsOf(),
        difference,
        outcomeLeaves: changedLeaves(before, after),
      });
      return 'edit';
    }
    return recorded === this.plan.fork ? 'fork' : undefined;
  }

  /** Changes the input of a crossing whose code is about to run; undefined where the plan leaves it as it is. */
  inputEditor(recorded: Crossing, treatment: Treatment): ((input: unknown) => unknown) | undefined {
    const edits = treatment === 'live' ? this.plan.inputEditsOf(recorded) : [];
    return edits.length === 0 ? undefined : (input) => applyInputEdits(input, edits);
  }

  /** Whether a call that was never recorded runs for real because the fork came before it. */
  allowsAfterFork({ kind, effect }: CalledBoundary): boolean {
    return this.hasForked && (kind === 'agent' || !changesTheWorld(effect));
  }

  /** Whether a call that was never recorded comes after the fork, changes the world, and is named by no rule. */
  forbidsAfterFork({ kind, effect }: CalledBoundary): boolean {
    return this.hasForked && kind !== 'agent' && changesTheWorld(effect);
  }

  /** Whether serving a write for another input than recorded would pretend, behind a fork, that it had happened. */
  forbidsStubAfterFork(recorded: Crossing): boolean {
    return this.hasForked && changesTheWorld(recorded.effect) && this.plan.changeOf(recorded) === undefined;
  }
}
