import { z } from 'zod';

/** Parameters that were understood, or the one that was not. */
export type ReadParameters<Value> =
  | { readonly ok: true; readonly value: Value }
  | { readonly ok: false; readonly name: string; readonly problem: string };

/** A schema of parameters, as each operation of the API has one. */
export type ParameterSchema = z.ZodObject<Record<string, z.ZodType>>;

function innermost(type: z.ZodType | undefined): z.ZodType | undefined {
  return type instanceof z.ZodOptional ? innermost(type.unwrap() as z.ZodType) : type;
}

/** A text as the type a parameter has; one that cannot be is left for the schema to refuse. */
function typed(type: z.ZodType | undefined, text: string): unknown {
  const wanted = innermost(type);
  if (wanted instanceof z.ZodBoolean) return text === 'true' ? true : text === 'false' ? false : text;
  if (wanted instanceof z.ZodNumber) return /^-?\d+$/.test(text) ? Number(text) : text;
  return text;
}

/** What is wrong with a parameter, for who wrote a text: types are told as what to write. */
function problemOf(issue: z.core.$ZodIssue | undefined, isGiven: boolean): string {
  if (issue?.code !== 'invalid_type') return issue?.message ?? 'it cannot be used';
  if (!isGiven) return 'it is needed';
  if (issue.expected === 'boolean') return 'write true or false';
  return issue.expected === 'number' ? 'write a whole number' : issue.message;
}

/** Reads parameters written as texts, as in a query string or on a command line; the same for every reader. */
export function readParameters<Schema extends ParameterSchema>(
  schema: Schema,
  given: Iterable<readonly [name: string, text: string]>,
): ReadParameters<z.output<Schema>> {
  const values = new Map<string, unknown>();
  for (const [name, text] of given) {
    if (!Object.hasOwn(schema.shape, name)) return { ok: false, name, problem: 'there is no such parameter' };
    if (values.has(name)) return { ok: false, name, problem: 'it is given more than once' };
    values.set(name, typed(schema.shape[name], text));
  }
  const parsed = schema.safeParse(Object.fromEntries(values));
  if (parsed.success) return { ok: true, value: parsed.data };
  const [issue] = parsed.error.issues;
  const name = issue?.path.join('.') ?? '';
  return { ok: false, name, problem: problemOf(issue, values.has(name)) };
}

/** Parameters as a query string has them; what is undefined is left out. */
export function writeParameters(query: Readonly<Record<string, unknown>>): URLSearchParams {
  const parameters = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) if (value !== undefined) parameters.set(name, String(value));
  return parameters;
}
