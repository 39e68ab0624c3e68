import { ReenactError } from '@reenact/trace-model';
import { type ParameterSchema, readParameters } from '@reenact/trace-model/collector-api';
import { type Command, Option } from 'commander';
import { z } from 'zod';

const TIME_HINT = 'such as 2026-11-17 or 2026-11-17T15:14Z';

/** What people call what a flag takes, where it is not simply a text. */
const PLACEHOLDERS: Readonly<Record<string, string>> = {
  trace: '<trace-id>',
  span: '<span-id>',
  session: '<id>',
  conversation: '<id>',
  user: '<id>',
  tenant: '<id>',
  replay: '<id>',
  replayOf: '<trace-id>',
  forkOf: '<trace-id>',
  since: '<time>',
  until: '<time>',
  text: '<words>',
  limit: '<count>',
  replays: '[which]',
};

/** What is wrong with a flag, in words: the schema it is checked against speaks of the API's parameters. */
const WANTED: Readonly<Record<string, string>> = {
  limit: 'not a whole number from 1 to 500',
  status: 'neither ok nor error',
  since: `not a time ${TIME_HINT}`,
  until: `not a time ${TIME_HINT}`,
};

function flagOf(name: string): string {
  return `--${name.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`;
}

function innermost(type: unknown): unknown {
  return type instanceof z.ZodOptional ? type.unwrap() : type;
}

/** What the value of a flag is, in words: the schema it is checked against words it for the API. */
function problemWith(name: string, type: unknown, otherwise: string): string {
  const inner = innermost(type);
  if (inner instanceof z.ZodBoolean) return 'neither true nor false';
  if (inner instanceof z.ZodEnum) return `none of ${inner.options.join(', ')}`;
  const placeholder = PLACEHOLDERS[name];
  if (placeholder === '<trace-id>') return 'no trace id, which has 32 hex digits';
  if (placeholder === '<span-id>') return 'no span id, which has 16 hex digits';
  return otherwise;
}

function optionFor(name: string, type: z.ZodType): Option {
  const inner = innermost(type);
  const words = inner instanceof z.ZodEnum ? `: ${inner.options.join(', ')}` : '';
  const description = `${(type.description ?? '').replace('(ISO 8601)', `(${TIME_HINT})`)}${words}`;
  if (inner instanceof z.ZodBoolean) return new Option(`${flagOf(name)} [boolean]`, description).preset('true');
  const option = new Option(`${flagOf(name)} ${PLACEHOLDERS[name] ?? '<name>'}`, description);
  return name === 'replays' ? option.preset('include') : option;
}

/** Of no use where one page is printed. */
const WALKED_BY: ReadonlySet<string> = new Set(['cursor', 'complete']);

/** Gives a command one flag for each of these parameters of the API, described as they are there. */
export function addFilterFlags(command: Command, schema: ParameterSchema): Command {
  for (const [name, type] of Object.entries(schema.shape)) {
    if (!WALKED_BY.has(name)) command.addOption(optionFor(name, type));
  }
  return command;
}

/** A time as people write it, `2026-11-17` or `2026-11-17T15:14`, as the API wants it. */
function toIsoTime(text: string): string {
  const time = new Date(text);
  return Number.isNaN(time.getTime()) ? text : time.toISOString();
}

/** The parameters that flags amount to. Throws ReenactError `bad-argument` naming the flag that cannot be used. */
export function readFilterFlags<Schema extends ParameterSchema>(
  schema: Schema,
  options: Readonly<Record<string, unknown>>,
  command: string,
): z.output<Schema> {
  const given = Object.keys(schema.shape).flatMap((name) => {
    const value = options[name];
    if (typeof value !== 'string') return [];
    return [[name, name === 'since' || name === 'until' ? toIsoTime(value) : value] as const];
  });
  const read = readParameters(schema, given);
  if (read.ok) return read.value;
  const flag = flagOf(read.name);
  const empty = options[read.name] === '' ? 'empty' : undefined;
  const problem = WANTED[read.name] ?? empty ?? problemWith(read.name, schema.shape[read.name], read.problem);
  throw new ReenactError('bad-argument', `${flag} cannot be used: it is ${problem}.`, {
    where: flag,
    next: `See \`reenact ${command} --help\`.`,
  });
}
