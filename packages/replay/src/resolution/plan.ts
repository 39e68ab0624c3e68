import { type Profile, type Recording, ReenactError } from '@reenact/trace-model';
import type { z } from 'zod';
import { optionTree } from '../plan/option-tree.ts';
import { parseEditFlag, parseFailFlag } from '../plan/plan-flags.ts';
import {
  type FailRule,
  type IgnoreRule,
  PLAIN_POLICIES,
  type Plan,
  type PlanFile,
  type PlanRule,
  POLICIES,
  planFileSchema,
  planSchema,
} from '../plan/plan-schema.ts';
import { refuseRecordedHosts } from '../plan/planned-telemetry.ts';
import { resolvePlan } from './resolved-plan.ts';

/** An outcome or input to change, from code: `value` is any value that a recording can hold. */
export interface EditOption {
  readonly selector: string;
  readonly at: string;
  readonly value: unknown;
}

/** What a user asks of a replay, as flags and options give it. */
export interface PlanOptions {
  readonly live?: readonly string[] | undefined;
  readonly stub?: readonly string[] | undefined;
  readonly forbid?: readonly string[] | undefined;
  /** As `--edit` takes it, or as an object. */
  readonly edit?: readonly (string | EditOption)[] | undefined;
  /** As `--fail` takes it, or as an object. */
  readonly fail?: readonly (string | Omit<FailRule, 'policy'>)[] | undefined;
  readonly ignore?: readonly IgnoreRule[] | undefined;
  /** Default strict. */
  readonly profile?: Profile | undefined;
  /** Throw at the first crossing whose input changed. Default false. */
  readonly stopOnDivergence?: boolean | undefined;
  /** Go live from this crossing on. */
  readonly fork?: string | undefined;
  /** Send requests to other recorded services again, to be re-run there. Default: they are served as recorded. */
  readonly throughServices?: boolean | undefined;
  /** Comes before everything else that is said here. */
  readonly file?: PlanFile | undefined;
}

function editRule(edit: string | EditOption): PlanRule {
  if (typeof edit === 'string') return parseEditFlag(edit);
  const { selector, at, value } = edit;
  return { selector, policy: 'edit', at, value: optionTree(value, at) };
}

function failRule(fail: string | Omit<FailRule, 'policy'>): PlanRule {
  return typeof fail === 'string' ? parseFailFlag(fail) : { ...fail, policy: 'fail' };
}

function rulesOf(options: PlanOptions): PlanRule[] {
  const plain = PLAIN_POLICIES.flatMap((policy) =>
    (options[policy] ?? []).map((selector): PlanRule => ({ selector, policy })),
  );
  return [
    ...(options.file?.rules ?? []),
    ...plain,
    ...(options.edit ?? []).map(editRule),
    ...(options.fail ?? []).map(failRule),
  ];
}

/**
 * Makes a plan and checks it against the recording before anything runs. Throws ReenactError `bad-plan`; the message says
 * what was probably meant. `rootSpanId`: the crossing to re-run, where it is not a root of the recording.
 */
export function makePlan(options: PlanOptions, recording: Recording, rootSpanId?: string): Plan {
  const { file } = options;
  const fork = options.fork ?? file?.fork;
  const throughServices = options.throughServices ?? file?.throughServices;
  const plan = validated(
    planSchema,
    {
      version: 1,
      profile: options.profile ?? file?.profile ?? 'strict',
      rules: rulesOf(options),
      ignore: [...(file?.ignore ?? []), ...(options.ignore ?? [])],
      stopOnDivergence: options.stopOnDivergence ?? file?.stopOnDivergence ?? false,
      ...(fork === undefined ? {} : { fork }),
      ...(throughServices === undefined ? {} : { throughServices }),
      ...(file?.telemetryHosts === undefined ? {} : { telemetryHosts: file.telemetryHosts }),
      perturbsIgnored: false,
    },
    'the plan',
  );
  resolvePlan(plan, recording, rootSpanId);
  refuseRecordedHosts(plan, recording);
  return plan;
}

/** Reads what a plan file says. Throws ReenactError `bad-plan` naming the first bad member. */
export function parsePlanFile(data: unknown, where: string): PlanFile {
  return validated(planFileSchema, data, where);
}

function jsonPathOf(path: readonly PropertyKey[]): string {
  return `$${path.map((step) => (typeof step === 'number' ? `[${step}]` : `.${String(step)}`)).join('')}`;
}

function validated<Schema extends z.ZodType>(schema: Schema, data: unknown, where: string): z.infer<Schema> {
  const parsed = schema.safeParse(data);
  if (parsed.success) return parsed.data;
  const [issue] = parsed.error.issues;
  const path = jsonPathOf(issue?.path ?? []);
  throw new ReenactError('bad-plan', `The plan is not valid at ${path}: ${issue?.message ?? 'unknown problem'}.`, {
    where,
    next: `The policies are ${POLICIES.join(', ')}; \`reenact docs plan-file\` lists every member.`,
  });
}
