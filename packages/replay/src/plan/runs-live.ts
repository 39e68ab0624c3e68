import { parseEditTarget } from './edit-target.ts';
import type { Plan } from './plan-schema.ts';

/** Whether code of a boundary may run for real by a plan: by a rule, with another input, or behind the point of a fork. */
export function runsLive({ rules, fork }: Plan): boolean {
  if (fork !== undefined) return true;
  return rules.some(
    (rule) => rule.policy === 'live' || (rule.policy === 'edit' && parseEditTarget(rule.at).part === 'input'),
  );
}
