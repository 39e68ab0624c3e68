import { PROFILES } from '@reenact/trace-model';
import { z } from 'zod';
import { ATTEMPTS_FAILED_MAX, HEADERS_FAILED_MAX } from '../limits.ts';

/** What may be done with a crossing. The list is closed: an unknown word is an error, never a live call. */
export const POLICIES = ['stub', 'live', 'forbid', 'edit', 'fail'] as const;

/**
 * One policy: serve the recorded outcome, run the boundary's code, refuse and fail the replay with exit code 3, serve another
 * outcome (or run it with another input), or serve a failure.
 */
export type Policy = (typeof POLICIES)[number];

/** The policies that need nothing but a selector. */
export const PLAIN_POLICIES = ['stub', 'live', 'forbid'] as const satisfies readonly Policy[];

/** A selector as `parseSelector` reads it. */
const selectorSchema = z.string().min(1);

const plainRuleSchema = z.strictObject({ selector: selectorSchema, policy: z.enum(PLAIN_POLICIES) });

const editRuleSchema = z.strictObject({
  selector: selectorSchema,
  policy: z.literal('edit'),
  /** What is changed, as `parseEditTarget` reads it: `$.price`, `text`, `toolCalls`, `error`, `chunks[3]`, `input.model`. */
  at: z.string().min(1),
  /** The new value: JSON, or the tagged JSON of docs/adr/0004 where JSON cannot say it. */
  value: z.json(),
});

const errorSchema = z.strictObject({
  class: z.string().min(1).optional(),
  message: z.string().optional(),
  code: z.union([z.string(), z.number()]).optional(),
  status: z.number().int().optional(),
  /** Further own members. */
  fields: z.record(z.string(), z.json()).optional(),
});

const failureSchema = z.discriminatedUnion('type', [
  z.strictObject({ type: z.literal('error'), error: errorSchema.optional() }),
  z.strictObject({ type: z.literal('timeout') }),
  z.strictObject({
    type: z.literal('status'),
    status: z.number().int().min(400).max(599),
    headers: z
      .record(z.string().regex(/^[!#$%&'*+.^_`|~\w-]+$/), z.string().regex(/^[\t\x20-\x7e\x80-\xff]*$/))
      .refine((headers) => Object.keys(headers).length <= HEADERS_FAILED_MAX, 'too many headers')
      .optional(),
    /** Body of the response: text as it is, anything else as JSON. Default: an error as the provider words it. */
    body: z.json().optional(),
  }),
  z.strictObject({ type: z.literal('truncate'), afterChunks: z.number().int().min(0) }),
]);

const failRuleSchema = z.strictObject({
  selector: selectorSchema,
  policy: z.literal('fail'),
  with: failureSchema,
  /** How many attempts of a wire request fail before it is answered as recorded. Default: all of them. */
  attempts: z.number().int().min(1).max(ATTEMPTS_FAILED_MAX).optional(),
});

/** One rule of a plan, as it is written in a plan file. */
const planRuleSchema = z.discriminatedUnion('policy', [plainRuleSchema, editRuleSchema, failRuleSchema]);

/** A field of an input that is not compared, because it is another one in every run. */
const ignoreRuleSchema = z.strictObject({
  selector: selectorSchema,
  /** JSON path into the input or request as reports print it; `[*]` stands for every index. */
  path: z.string().min(1),
  /** Why it may differ; the report repeats it. */
  why: z.string().min(1),
});

/** A host as `REENACT_TELEMETRY_HOSTS` names it: `name`, `*.name`, an address, each with or without `:port`. */
const hostSchema = z
  .string()
  .regex(
    /^(?!\d+$)(?:\*\.)?(?:\[[\da-fA-F:.]+\]|[^\s/,:*[\]@]+|[\da-fA-F:.]+)(?::\d{1,5})?$/,
    'not a host such as api.smith.langchain.com, *.i.posthog.com or 127.0.0.1:4318',
  );

const planMembers = {
  version: z.literal(1),
  profile: z.enum(PROFILES),
  rules: z.array(planRuleSchema),
  ignore: z.array(ignoreRuleSchema),
  /** Throw at the first crossing whose input changed instead of serving what was recorded for another input. */
  stopOnDivergence: z.boolean(),
  /** Go live from this crossing on. */
  fork: selectorSchema.optional(),
  /** Requests to other recorded services are sent to them again, to be re-run there; else they are served as recorded. */
  throughServices: z.boolean().optional(),
  /** Hosts to which only telemetry is sent, beside those that were named when it was recorded. */
  telemetryHosts: z.array(hostSchema).optional(),
};

/** A plan as it is handed to a child process. */
export const planSchema = z.strictObject({
  ...planMembers,
  /** The second run of an audit: what the ignored fields held is another value in everything that is served. */
  perturbsIgnored: z.boolean(),
});

/** A plan as a user writes it to a file (docs/plan-file.md). Only the version must be there; flags add to it. */
export const planFileSchema = z.strictObject({
  ...planMembers,
  profile: planMembers.profile.optional(),
  rules: planMembers.rules.optional(),
  ignore: planMembers.ignore.optional(),
  stopOnDivergence: planMembers.stopOnDivergence.optional(),
  /** Run the replay twice, to prove that nothing depends on what is ignored. */
  audit: z.boolean().optional(),
});

/** One rule of a plan. */
export type PlanRule = z.infer<typeof planRuleSchema>;

/** A rule that changes an outcome or an input. */
export type EditRule = z.infer<typeof editRuleSchema>;

/** A rule that makes a crossing fail. */
export type FailRule = z.infer<typeof failRuleSchema>;

/** How a crossing is made to fail. */
export type Failure = z.infer<typeof failureSchema>;

/** A field of an input that is not compared. */
export type IgnoreRule = z.infer<typeof ignoreRuleSchema>;

/** The rules of a replay. Whatever no rule names is stubbed, except agents, whose code is what a replay is for. */
export type Plan = z.infer<typeof planSchema>;

/** What a plan file says. */
export type PlanFile = z.infer<typeof planFileSchema>;
