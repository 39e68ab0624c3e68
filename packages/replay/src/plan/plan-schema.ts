import { z } from 'zod';

/** What may be done with a crossing. The list is closed: an unknown word is an error, never a live call. */
export const POLICIES = ['stub', 'live', 'forbid'] as const;

/** One policy: serve the recorded outcome, run the boundary's code, or refuse and fail the replay with exit code 3. */
export type Policy = (typeof POLICIES)[number];

/** One rule of a plan, as it is written in a plan file. */
export const planRuleSchema = z.strictObject({
  /** A selector as `parseSelector` reads it. */
  selector: z.string().min(1),
  policy: z.enum(POLICIES),
});

/** A plan as it is written to a file and handed to a child process. */
export const planSchema = z.strictObject({
  version: z.literal(1),
  profile: z.literal('strict'),
  rules: z.array(planRuleSchema),
  /** Throw at the first crossing whose input changed instead of serving what was recorded for another input. */
  stopOnDivergence: z.boolean(),
});

/** One rule of a plan. */
export type PlanRule = z.infer<typeof planRuleSchema>;

/** The rules of a replay. Whatever no rule names is stubbed, except agents, whose code is what a replay is for. */
export type Plan = z.infer<typeof planSchema>;
