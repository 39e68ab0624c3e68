import { type Recording, ReenactError } from '@reenact/trace-model';
import { type Plan, type PlanRule, POLICIES, type Policy, planSchema } from './plan-schema.ts';
import { resolvePlan } from './resolved-plan.ts';

/** What a user asks of a replay: selectors per policy, as flags and options give them. */
export interface PlanOptions {
  readonly live?: readonly string[] | undefined;
  readonly stub?: readonly string[] | undefined;
  readonly forbid?: readonly string[] | undefined;
  /** Throw at the first crossing whose input changed. Default false. */
  readonly stopOnDivergence?: boolean | undefined;
}

/**
 * Makes a plan and checks it against the recording before anything runs. Throws ReenactError `bad-plan`; the message says
 * what was probably meant. `rootSpanId`: the crossing to re-run, where it is not a root of the recording.
 */
export function makePlan(options: PlanOptions, recording: Recording, rootSpanId?: string): Plan {
  const rulesOf = (policy: Policy): PlanRule[] => (options[policy] ?? []).map((selector) => ({ selector, policy }));
  const plan: Plan = {
    version: 1,
    profile: 'strict',
    rules: POLICIES.flatMap(rulesOf),
    stopOnDivergence: options.stopOnDivergence ?? false,
  };
  resolvePlan(plan, recording, rootSpanId);
  return plan;
}

/** Reads a plan that came from a file or another process. Throws ReenactError `bad-plan` naming the first bad member. */
export function parsePlan(data: unknown, where: string): Plan {
  const parsed = planSchema.safeParse(data);
  if (parsed.success) return parsed.data;
  const issue = parsed.error.issues[0];
  const path = issue === undefined || issue.path.length === 0 ? '$' : `$.${issue.path.join('.')}`;
  throw new ReenactError('bad-plan', `The plan is not valid at ${path}: ${issue?.message ?? 'unknown problem'}.`, {
    where,
    next: `Use the policies ${POLICIES.join(', ')} and the members version, profile, rules and stopOnDivergence.`,
  });
}
