import {
  type Crossing,
  changesTheWorld,
  crossingLabel,
  type Effect,
  parseSelector,
  type Recording,
  ReenactError,
  type Selector,
  type SelectorTarget,
  selectorMatches,
} from '@reenact/trace-model';
import { NAMES_LISTED_MAX } from '../limits.ts';
import { subtreeOf } from '../player/subtree.ts';
import { closestName } from './closest-name.ts';
import type { Plan, Policy } from './plan-schema.ts';

/** What happens to one crossing: a policy, or `rerun` for an agent that no rule names. */
export type Treatment = Policy | 'rerun';

interface ResolvedRule {
  readonly selector: Selector;
  readonly policy: Policy;
  readonly matched: readonly Crossing[];
}

/** A plan applied to one recording: asked once per crossing while the replay runs. */
export interface ResolvedPlan {
  readonly stopOnDivergence: boolean;
  /**
   * What happens to a recorded crossing. `effect`: what the code that would run now declares; where that changes the world
   * and only a pattern says live, it is stubbed.
   */
  treatmentOf(crossing: Crossing, effect?: Effect): Treatment;
  /** The rule that names a call no recorded crossing was found for, if one does. */
  ruleFor(target: SelectorTarget, effect: Effect): Policy | undefined;
}

function targetsOf(recording: Recording): Map<Crossing, SelectorTarget> {
  const counts = new Map<string, number>();
  const targets = new Map<Crossing, SelectorTarget>();
  for (const crossing of recording.crossings) {
    const label = crossingLabel(crossing);
    const occurrence = (counts.get(label) ?? 0) + 1;
    counts.set(label, occurrence);
    const { kind, name, spanId, path } = crossing;
    targets.set(crossing, { kind, name, spanId, path, occurrence });
  }
  return targets;
}

function listed(items: Iterable<string>): string {
  const all = [...new Set(items)];
  const more = all.length - NAMES_LISTED_MAX;
  return all.slice(0, NAMES_LISTED_MAX).join(', ') + (more > 0 ? ` and ${more} more` : '');
}

function unmatchedSelector(selector: Selector, crossings: readonly Crossing[]): ReenactError {
  const labels = crossings.map(crossingLabel);
  const candidates = selector.path === undefined ? labels : crossings.map(({ path }) => path);
  const names = selector.kind === undefined && selector.path === undefined;
  const byName = names ? crossings.map(({ name }) => name) : [];
  const close = closestName(selector.text, [...candidates, ...byName]);
  const hint = close === undefined ? '' : ` Did you mean "${close}"?`;
  return new ReenactError('bad-plan', `"${selector.text}" names nothing in this recording.${hint}`, {
    where: selector.text,
    next: `Name one of: ${listed(labels)}.`,
  });
}

function isVagueWrite({ policy, selector }: ResolvedRule, effect: Effect): boolean {
  return policy === 'live' && !selector.exact && changesTheWorld(effect);
}

function refuseVagueWrites(rule: ResolvedRule): void {
  const writes = rule.matched.filter(({ kind, effect }) => kind !== 'agent' && isVagueWrite(rule, effect));
  const [first] = writes;
  if (first === undefined) return;
  const labels = listed(writes.map(crossingLabel));
  throw new ReenactError(
    'bad-plan',
    `--live "${rule.selector.text}" would run code that changes the world: ${labels}.`,
    {
      where: rule.selector.text,
      next: `Name each one exactly if you mean it, for example --live ${crossingLabel(first)}; a pattern never does it.`,
    },
  );
}

function treatmentBy(rules: readonly ResolvedRule[]): Map<Crossing, ResolvedRule> {
  const chosen = new Map<Crossing, ResolvedRule>();
  for (const rule of rules) {
    for (const crossing of rule.matched) {
      const other = chosen.get(crossing);
      if (other !== undefined && other.policy !== rule.policy) {
        throw new ReenactError(
          'bad-plan',
          `"${other.selector.text}" says ${other.policy} and "${rule.selector.text}" says ${rule.policy}, and both name ${crossing.path}.`,
          { where: crossing.path, next: 'Remove one of the two, or narrow it with #n or a path.' },
        );
      }
      chosen.set(crossing, rule);
    }
  }
  return chosen;
}

/** The nearest enclosing crossing that is served whole, so that nothing inside it is ever reached. */
function stubAround(
  crossing: Crossing,
  recording: Recording,
  rootSpanId: string | undefined,
  treatmentOf: (crossing: Crossing) => Treatment,
): Crossing | undefined {
  let inside = crossing;
  while (inside.spanId !== rootSpanId && inside.parentSpanId !== undefined) {
    const parent = recording.bySpanId.get(inside.parentSpanId);
    if (parent === undefined) return undefined;
    const isRoot = parent.spanId === rootSpanId || parent.parentSpanId === undefined;
    if (!isRoot && treatmentOf(parent) === 'stub') return parent;
    inside = parent;
  }
  return undefined;
}

function refuseUnreachable(
  rule: ResolvedRule,
  recording: Recording,
  rootSpanId: string | undefined,
  treatmentOf: (crossing: Crossing) => Treatment,
): void {
  if (rule.policy !== 'live') return;
  const around = rule.matched.map((crossing) => stubAround(crossing, recording, rootSpanId, treatmentOf));
  const [first] = around;
  if (first === undefined || around.includes(undefined)) return;
  throw new ReenactError(
    'bad-plan',
    `--live "${rule.selector.text}" would never run: it lies inside ${first.path}, which is stubbed as a whole.`,
    { where: rule.selector.text, next: `Add --live ${crossingLabel(first)} to run the code around it as well.` },
  );
}

function refuseStubbedRoot(rule: ResolvedRule, recording: Recording, rootSpanId: string | undefined): void {
  if (rule.policy !== 'stub' || rule.matched.length !== 1) return;
  const [only] = rule.matched;
  const roots = rootSpanId === undefined ? recording.roots : [recording.bySpanId.get(rootSpanId)];
  if (only === undefined || roots.length !== 1 || roots[0] !== only) return;
  throw new ReenactError('bad-plan', `--stub "${rule.selector.text}" names the run itself, so nothing would run.`, {
    where: rule.selector.text,
    next: 'Leave it out: the run is what a replay runs again.',
  });
}

/**
 * Applies a plan to a recording. Throws ReenactError `bad-plan` where a selector names nothing, two rules contradict, a
 * pattern would make a write live, or a rule could never take effect. `rootSpanId`: the crossing to re-run; absent means
 * whichever root is replayed.
 */
export function resolvePlan(plan: Plan, recording: Recording, rootSpanId?: string): ResolvedPlan {
  const targets = targetsOf(recording);
  const crossings = rootSpanId === undefined ? recording.crossings : subtreeOf(recording, rootSpanId);
  const rules = plan.rules.map(({ selector: text, policy }): ResolvedRule => {
    const selector = parseSelector(text);
    const matched = crossings.filter((crossing) => {
      const target = targets.get(crossing);
      return target !== undefined && selectorMatches(selector, target);
    });
    if (matched.length === 0) throw unmatchedSelector(selector, crossings);
    return { selector, policy, matched };
  });
  const chosen = treatmentBy(rules);
  const treatmentOf = (crossing: Crossing, effect: Effect = crossing.effect): Treatment => {
    const rule = chosen.get(crossing);
    if (crossing.kind === 'agent') return rule?.policy ?? 'rerun';
    return rule === undefined || isVagueWrite(rule, effect) ? 'stub' : rule.policy;
  };
  for (const rule of rules) {
    refuseVagueWrites(rule);
    refuseStubbedRoot(rule, recording, rootSpanId);
    refuseUnreachable(rule, recording, rootSpanId, treatmentOf);
  }
  return {
    stopOnDivergence: plan.stopOnDivergence,
    treatmentOf,
    ruleFor: (target, effect) =>
      rules.find((rule) => selectorMatches(rule.selector, target) && !isVagueWrite(rule, effect))?.policy,
  };
}
