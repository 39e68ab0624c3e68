import { subtreeOf } from '@reenact/recordings';
import {
  type Crossing,
  changesTheWorld,
  closestName,
  crossingLabel,
  type Effect,
  isDelivery,
  isReenactError,
  type Profile,
  type Recording,
  ReenactError,
  runsAgain,
  type Selector,
  type SelectorTarget,
  selectorMatches,
} from '@reenact/trace-model';
import { type ChangedCrossing, changedCrossing, preparedEdit } from '../edit/changed-crossing.ts';
import { type InputEdit, inputEdit } from '../edit/edited-input.ts';
import { NAMES_LISTED_MAX } from '../limits.ts';
import { forkedFrom } from '../plan/fork-point.ts';
import { hopsIn } from '../plan/hops.ts';
import { type IgnoredPath, leadsInto, type ResolvedIgnore, resolveIgnores } from '../plan/ignored-fields.ts';
import type { Plan, PlanRule, Policy } from '../plan/plan-schema.ts';
import { type SelectedCrossings, selectedIn } from '../plan/selected-crossings.ts';
import { isOneCall } from '../recorded/one-call.ts';
import { setUpCrossings } from '../recorded/with-set-up.ts';
import { shellWord } from '../shell-word.ts';

/**
 * What happens to one crossing: a served outcome, which the plan may have changed, a refusal, the boundary's own code, or
 * `rerun` for an agent, or what was delivered to one, that no rule names.
 */
export type Treatment = 'stub' | 'live' | 'forbid' | 'rerun';

interface ResolvedRule {
  readonly selector: Selector;
  readonly policy: Policy;
  readonly rule: PlanRule;
  readonly matched: readonly Crossing[];
}

/** A plan applied to one recording: asked once per crossing while the replay runs. */
export interface ResolvedPlan {
  readonly stopOnDivergence: boolean;
  readonly profile: Profile;
  /** The crossing from which on everything that changes nothing runs for real. */
  readonly fork: Crossing | undefined;
  readonly ignores: readonly ResolvedIgnore[];
  /** The places of a crossing's input, or of the requests sent for it, that are not compared. */
  ignoredPathsOf(crossing: Crossing, of: IgnoredPath['of']): readonly IgnoredPath[];
  readonly perturbsIgnored: boolean;
  /**
   * What happens to a recorded crossing. `effect`: what the code that would run now declares; where that changes the world
   * and only a pattern says live, it is stubbed.
   */
  treatmentOf(crossing: Crossing, effect?: Effect): Treatment;
  /** Whether a crossing is a request to another recorded service, whose code runs again there. */
  isHop(crossing: Crossing): boolean;
  /** The rule that names a call no recorded crossing was found for, if one does. */
  ruleFor(target: SelectorTarget, effect: Effect): Policy | undefined;
  /** Whether a rule says `live` for a crossing in a way that may change the world. */
  isNamedLive(crossing: Crossing): boolean;
  /** What the plan puts in the place of a crossing's outcome; undefined where it does not. */
  changeOf(crossing: Crossing): ChangedCrossing | undefined;
  /** What the plan changes in a crossing's input before its code runs; empty where nothing. */
  inputEditsOf(crossing: Crossing): readonly InputEdit[];
}

function listed(items: Iterable<string>): string {
  const all = [...new Set(items)];
  const more = all.length - NAMES_LISTED_MAX;
  return all.slice(0, NAMES_LISTED_MAX).join(', ') + (more > 0 ? ` and ${more} more` : '');
}

/** The path by which a call is named that the recording does not hold; undefined where a selector says no such. */
function pathOfNew(
  { kind, name, exact, occurrence, path }: Selector,
  [first]: readonly Crossing[],
): string | undefined {
  if (path !== undefined || !exact || occurrence !== undefined || kind === undefined) return undefined;
  return first === undefined ? undefined : `${first.path}/${kind}:${name}`;
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
    next: `Name one of: ${listed(labels)}.${newCallHint(selector, crossings)}`,
  });
}

/** A misspelt name is refused before anything runs, so a call that is new is named by its whole path. */
function newCallHint(selector: Selector, crossings: readonly Crossing[]): string {
  const path = pathOfNew(selector, crossings);
  return path === undefined
    ? ''
    : ` A call that your code makes anew is let run by its path, as in --live ${shellWord(path)}.`;
}

function editsInput({ rule }: ResolvedRule): boolean {
  return rule.policy === 'edit' && preparedEdit(rule).target.part === 'input';
}

/** What a rule comes down to: an edited outcome is served, and an edited input needs the code to run. */
function treatmentBy(rule: ResolvedRule): Treatment {
  switch (rule.policy) {
    case 'stub':
    case 'live':
    case 'forbid':
      return rule.policy;
    case 'fail':
      return 'stub';
    case 'edit':
      return editsInput(rule) ? 'live' : 'stub';
  }
}

function isVagueWrite(rule: ResolvedRule, effect: Effect): boolean {
  return treatmentBy(rule) === 'live' && !rule.selector.exact && changesTheWorld(effect);
}

function flagOf({ policy, selector }: ResolvedRule): string {
  return `--${policy} "${selector.text}"`;
}

function refuseVagueWrites(rule: ResolvedRule): void {
  const writes = rule.matched.filter(({ kind, effect }) => kind !== 'agent' && isVagueWrite(rule, effect));
  const [first] = writes;
  if (first === undefined) return;
  const labels = listed(writes.map(crossingLabel));
  throw new ReenactError('bad-plan', `${flagOf(rule)} would run code that changes the world: ${labels}.`, {
    where: rule.selector.text,
    next: `Name each one exactly if you mean it, for example --live ${shellWord(crossingLabel(first))}; a pattern never does it.`,
  });
}

/** Rules of one crossing that go together: the same policy, and not an outcome and an input at once. */
function contradict(one: ResolvedRule, other: ResolvedRule): boolean {
  return one.policy !== other.policy || treatmentBy(one) !== treatmentBy(other) || one.policy === 'fail';
}

function rulesByCrossing(rules: readonly ResolvedRule[]): Map<Crossing, ResolvedRule[]> {
  const chosen = new Map<Crossing, ResolvedRule[]>();
  for (const rule of rules) {
    for (const crossing of rule.matched) {
      const others = chosen.get(crossing) ?? [];
      const other = others.find((item) => contradict(item, rule));
      if (other !== undefined) throw contradiction(other, rule, crossing);
      chosen.set(crossing, [...others, rule]);
    }
  }
  return chosen;
}

function contradiction(one: ResolvedRule, other: ResolvedRule, crossing: Crossing): ReenactError {
  return new ReenactError(
    'bad-plan',
    `"${one.selector.text}" says ${one.policy} and "${other.selector.text}" says ${other.policy}, and both name ${crossing.path}.`,
    { where: crossing.path, next: 'Remove one of the two, or narrow it with #n or a path.' },
  );
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
    // What was delivered meanwhile is made again, also where the call around it is served.
    if (!isRoot && !isDelivery(inside) && treatmentOf(parent) === 'stub') return parent;
    inside = parent;
  }
  return undefined;
}

/** The same of a call that the code makes anew: also what it stands in may be served whole. */
function stubAroundNew(
  path: string,
  recording: Recording,
  rootSpanId: string | undefined,
  treatmentOf: (crossing: Crossing) => Treatment,
): Crossing | undefined {
  const above = recording.crossings.filter((crossing) => path.startsWith(`${crossing.path}/`));
  const [nearest] = above.sort((one, other) => other.path.length - one.path.length);
  if (nearest === undefined) return undefined;
  const isRoot = nearest.spanId === rootSpanId || nearest.parentSpanId === undefined;
  if (!isRoot && treatmentOf(nearest) === 'stub') return nearest;
  return stubAround(nearest, recording, rootSpanId, treatmentOf);
}

function refuseUnreachable(
  rule: ResolvedRule,
  recording: Recording,
  rootSpanId: string | undefined,
  treatmentOf: (crossing: Crossing) => Treatment,
): void {
  if (treatmentBy(rule) === 'rerun' || rule.policy === 'stub' || rule.policy === 'forbid') return;
  const around =
    rule.matched.length === 0
      ? [stubAroundNew(rule.selector.path ?? '', recording, rootSpanId, treatmentOf)]
      : rule.matched.map((crossing) => stubAround(crossing, recording, rootSpanId, treatmentOf));
  const [first] = around;
  if (first === undefined || around.includes(undefined)) return;
  throw new ReenactError(
    'bad-plan',
    `${flagOf(rule)} would never take effect: it lies inside ${first.path}, which is served as a whole.`,
    {
      where: rule.selector.text,
      next: `Add --live ${shellWord(crossingLabel(first))} to run the code around it as well.`,
    },
  );
}

function refuseUnreachableFork(
  fork: Crossing,
  recording: Recording,
  rootSpanId: string | undefined,
  treatmentOf: (crossing: Crossing) => Treatment,
): void {
  const around = stubAround(fork, recording, rootSpanId, treatmentOf);
  if (around === undefined) return;
  throw new ReenactError('bad-plan', `A fork at ${fork.path} would never begin: ${around.path} is served as a whole.`, {
    where: fork.path,
    next: `Fork at ${around.path}, or add --live ${shellWord(crossingLabel(around))} to run the code around it.`,
  });
}

/** The crossing that is re-run; undefined where a recording has several and none is named. */
function rerunRoot(recording: Recording, rootSpanId: string | undefined): Crossing | undefined {
  const roots = rootSpanId === undefined ? recording.roots : [recording.bySpanId.get(rootSpanId)];
  return roots.length === 1 ? roots[0] : undefined;
}

function refuseStubbedRoot(rule: ResolvedRule, root: Crossing | undefined): void {
  if (treatmentBy(rule) !== 'stub' || root === undefined) return;
  if (rule.matched.length !== 1 || rule.matched[0] !== root) return;
  throw new ReenactError('bad-plan', `${flagOf(rule)} names the run itself, so nothing would run.`, {
    where: rule.selector.text,
    next: 'Leave it out: the run is what a replay runs again.',
  });
}

/** A run is given what it was given by its command, by the request that is sent again, or as an entry: no plan changes that. */
function refuseEditedRoot(rule: ResolvedRule, recording: Recording, root: Crossing | undefined): void {
  if (root === undefined || !editsInput(rule) || !rule.matched.includes(root) || isOneCall(recording, root)) return;
  throw new ReenactError(
    'bad-plan',
    `${flagOf(rule)} would never take effect: what the run itself is given comes from outside the replay.`,
    {
      where: rule.selector.text,
      next: 'Edit the input of a crossing inside the run, or call the run with another one in a test: replay({ recording, run: () => yourAgent(…) }).',
    },
  );
}

/** A rule may let a call run that the code makes anew, by the path that a report gives it: it stands below a recorded crossing. */
function letsNewCallRun(
  { path, exact }: Selector,
  policy: Policy | undefined,
  crossings: readonly Crossing[],
): boolean {
  if (policy !== 'live' || !exact || path === undefined) return false;
  return crossings.some((crossing) => path.startsWith(`${crossing.path}/`));
}

/** What a selector names; one that names nothing is refused, unless its policy lets a new call run. */
function namedIn(
  crossings: readonly Crossing[],
  recording: Recording,
): (selector: string, policy?: Policy) => SelectedCrossings {
  const select = selectedIn(crossings, recording);
  return (text, policy) => {
    const selected = select(text);
    if (selected.matched.length === 0 && !letsNewCallRun(selected.selector, policy, crossings))
      throw unmatchedSelector(selected.selector, crossings);
    return selected;
  };
}

/** Does what the rules of a crossing ask for; where it cannot take them and they name others, too, the error says how to name one of those. */
function asNamed<Change>(crossing: Crossing, rules: readonly ResolvedRule[], change: () => Change): Change {
  try {
    return change();
  } catch (thrown) {
    const other = rules.flatMap(({ matched }) => matched).find((matched) => matched !== crossing);
    if (other === undefined || !isReenactError(thrown)) throw thrown;
    const { code, message, where, next = '', cause } = thrown;
    const hint = `Or name the one that you mean by its path, such as ${other.path}: this names ${crossing.path}, too.`;
    throw new ReenactError(code, message, {
      ...(where === undefined ? {} : { where }),
      next: `${next} ${hint}`.trim(),
      cause,
    });
  }
}

/** Everything that the rules change, worked out before anything runs, so that an impossible edit is told then. */
function changesBy(chosen: ReadonlyMap<Crossing, readonly ResolvedRule[]>): {
  readonly outcomes: ReadonlyMap<Crossing, ChangedCrossing>;
  readonly inputs: ReadonlyMap<Crossing, readonly InputEdit[]>;
} {
  const outcomes = new Map<Crossing, ChangedCrossing>();
  const inputs = new Map<Crossing, InputEdit[]>();
  for (const [crossing, resolved] of chosen) {
    const rules = resolved.map(({ rule }) => rule).filter((rule) => rule.policy === 'edit' || rule.policy === 'fail');
    if (rules.length === 0) continue;
    asNamed(crossing, resolved, () => {
      const edits = rules.flatMap((rule) =>
        rule.policy === 'edit' ? (inputEdit(crossing, preparedEdit(rule)) ?? []) : [],
      );
      if (edits.length > 0) inputs.set(crossing, edits);
      else outcomes.set(crossing, changedCrossing(crossing, rules));
    });
  }
  return { outcomes, inputs };
}

/**
 * Applies a plan to a recording. Throws ReenactError `bad-plan` where a selector names nothing, two rules contradict, a
 * pattern would make a write live, an edit does not fit what was recorded, or a rule could never take effect.
 * `rootSpanId`: the crossing to re-run; absent means whichever root is replayed.
 */
export function resolvePlan(plan: Plan, recording: Recording, rootSpanId?: string): ResolvedPlan {
  const ofRun = rootSpanId === undefined ? recording.crossings : subtreeOf(recording, rootSpanId);
  const crossings = [...new Set([...ofRun, ...setUpCrossings(recording, rootSpanId)])];
  const find = namedIn(crossings, recording);
  const rules = plan.rules.map(
    (rule): ResolvedRule => ({ ...find(rule.selector, rule.policy), policy: rule.policy, rule }),
  );
  const chosen = rulesByCrossing(rules);
  const { outcomes, inputs } = changesBy(chosen);
  const hops = plan.throughServices === true ? hopsIn(crossings, recording) : new Set<Crossing>();
  const fork = forkedFrom(plan.fork, namedIn(ofRun, recording), recording, rootSpanId);
  const treatmentOf = (crossing: Crossing, effect: Effect = crossing.effect): Treatment => {
    const [rule] = chosen.get(crossing) ?? [];
    const byRule = rule === undefined || isVagueWrite(rule, effect) ? undefined : treatmentBy(rule);
    if (runsAgain(crossing) || hops.has(crossing)) return rule === undefined ? 'rerun' : treatmentBy(rule);
    return byRule ?? (fork?.includes(crossing, effect) === true ? 'live' : 'stub');
  };
  const root = rerunRoot(recording, rootSpanId);
  for (const rule of rules) {
    refuseVagueWrites(rule);
    refuseStubbedRoot(rule, root);
    refuseEditedRoot(rule, recording, root);
    refuseUnreachable(rule, recording, rootSpanId, treatmentOf);
  }
  if (fork !== undefined) refuseUnreachableFork(fork.at, recording, rootSpanId, treatmentOf);
  const ignores = resolveIgnores(plan.ignore, find);
  return {
    stopOnDivergence: plan.stopOnDivergence,
    profile: plan.profile,
    fork: fork?.at,
    ignores,
    ignoredPathsOf: (crossing, of) => {
      if (ignores.length === 0) return [];
      return ignores
        .filter(({ path, matched }) => leadsInto(path, of) && matched.has(crossing))
        .map(({ path }) => path);
    },
    perturbsIgnored: plan.perturbsIgnored,
    treatmentOf,
    isHop: (crossing) => hops.has(crossing) && treatmentOf(crossing) === 'rerun',
    ruleFor: (target, effect) =>
      rules.find((rule) => selectorMatches(rule.selector, target) && !isVagueWrite(rule, effect))?.policy,
    isNamedLive: (crossing) => (chosen.get(crossing) ?? []).some((rule) => treatmentBy(rule) === 'live'),
    changeOf: (crossing) => outcomes.get(crossing),
    inputEditsOf: (crossing) => inputs.get(crossing) ?? [],
  };
}
