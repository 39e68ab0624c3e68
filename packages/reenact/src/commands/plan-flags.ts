import { readFileSync, statSync } from 'node:fs';
import { PLAN_FILE_BYTES_MAX, type PlanFile, type PlanOptions, parsePlanFile } from '@reenact/replay';
import { endOfJson, PROFILES, type Profile, ReenactError } from '@reenact/trace-model';
import { type Command, Option } from 'commander';

/** Flags that say what a replay does with which crossing. */
export interface PlanFlags {
  readonly live: string[];
  readonly stub: string[];
  readonly forbid: string[];
  readonly edit?: string[];
  readonly fail?: string[];
  readonly plan?: string;
  readonly profile?: Profile;
  readonly fork?: string;
  readonly audit?: boolean;
  readonly stopOnDivergence?: boolean;
}

/** Adds one more value to a flag that may be repeated. */
export function repeat(value: string, others: string[]): string[] {
  return [...others, value];
}

/** Gives a command the flags of a plan. */
export function addPlanFlags(command: Command): Command {
  return command
    .option(
      '--live <selector>',
      "run this crossing's own code instead of serving what was recorded; may be repeated",
      repeat,
      [],
    )
    .option(
      '--stub <selector>',
      'serve what was recorded, for agents whose code would run again; may be repeated',
      repeat,
      [],
    )
    .option('--forbid <selector>', 'refuse this crossing and fail the replay; may be repeated', repeat, [])
    .option(
      '--edit <selector:what=json>',
      'serve another outcome ($.path, text, toolCalls, error, chunks[n]) or run with another input (input.path); may be repeated',
      repeat,
      [],
    )
    .option(
      '--fail <selector:failure>',
      'make this crossing fail: error, error={…}, timeout, status=429, truncate=3; may be repeated',
      repeat,
      [],
    )
    .option('--plan <file>', 'JSON file with the rules of the replay (reenact docs plan-file); flags add to it')
    .addOption(
      new Option(
        '--profile <profile>',
        'edit-tolerant: a prompt or model was changed on purpose, match model calls by place and tools (default: strict)',
      ).choices(PROFILES),
    )
    .option('--fork <selector>', 'go live from this crossing on, and keep the new run as a recording of its own')
    .option('--audit', 'replay twice, to prove that nothing depends on what the plan ignores')
    .option('--stop-on-divergence', 'throw at the first changed input instead of serving on');
}

function unreadable(path: string, message: string, cause?: unknown): ReenactError {
  return new ReenactError('bad-plan', message, {
    where: path,
    next: 'Give --plan a JSON file as `reenact docs plan-file` describes it, for example { "version": 1, "rules": [] }.',
    cause,
  });
}

/** Reads a plan file. Throws ReenactError `bad-plan`. */
function readPlanFile(path: string): PlanFile {
  let text: string;
  try {
    if (statSync(path).size > PLAN_FILE_BYTES_MAX) {
      throw unreadable(path, `The plan file is larger than ${PLAN_FILE_BYTES_MAX} bytes.`);
    }
    text = readFileSync(path, 'utf8');
  } catch (cause) {
    throw cause instanceof ReenactError ? cause : unreadable(path, 'The plan file cannot be read.', cause);
  }
  let data: unknown;
  try {
    data = JSON.parse(text);
  } catch (cause) {
    throw unreadable(path, `The plan file is not JSON ${endOfJson(text)}.`, cause);
  }
  return parsePlanFile(data, path);
}

/** What the flags and the plan file ask of a replay, and whether it is to be audited. */
export interface AskedPlan {
  readonly options: PlanOptions;
  readonly isAudited: boolean;
}

/** Reads what the flags and the plan file ask of a replay. Throws ReenactError `bad-plan`. */
export function planOf(flags: PlanFlags): AskedPlan {
  const file = flags.plan === undefined ? undefined : readPlanFile(flags.plan);
  const { live, stub, forbid, edit, fail, profile, fork } = flags;
  const stopOnDivergence = flags.stopOnDivergence === true ? true : undefined;
  return {
    options: { live, stub, forbid, edit, fail, profile, fork, stopOnDivergence, file },
    isAudited: flags.audit ?? file?.audit ?? false,
  };
}
