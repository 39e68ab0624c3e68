import { ATTR_REENACT_INPUT_INVALID, ATTR_REENACT_INPUT_VIOLATIONS } from '@reenact/semconv/reenact';
import { ReenactError } from '@reenact/trace-model';
import type { SemconvView } from '../gate/boundary-definition.ts';
import { asOwnWork } from '../host/own-work.ts';
import { INPUT_VIOLATIONS_KEPT_MAX } from '../limits.ts';

/** One thing that is wrong with a value, as a Standard Schema tells it. */
export interface SchemaIssue {
  readonly message: string;
  readonly path?: readonly (PropertyKey | { readonly key: PropertyKey })[] | undefined;
}

/** The part of Standard Schema, version 1, that is used: the schemas of zod, valibot, arktype and others have it. */
export interface InputSchema {
  readonly '~standard': {
    readonly version: 1;
    readonly vendor: string;
    readonly validate: (
      value: unknown,
    ) => { readonly issues?: readonly SchemaIssue[] | undefined } | PromiseLike<unknown>;
  };
}

/** A schema for the first argument, or one for each argument in turn. */
export type InputSchemas = InputSchema | readonly InputSchema[];

/** One schema for each argument. Throws ReenactError `bad-argument` for what is no Standard Schema. */
export function listedSchemas(where: string, schemas: InputSchemas): readonly InputSchema[] {
  const list: readonly InputSchema[] = Array.isArray(schemas) ? schemas : [schemas as InputSchema];
  if (list.every((schema) => typeof schema?.['~standard']?.validate === 'function')) return list;
  throw new ReenactError('bad-argument', 'The input schema of a boundary is not a Standard Schema.', {
    where,
    next: 'Give a schema of zod, valibot, arktype or another library that implements Standard Schema.',
  });
}

function pointer(index: number, path: SchemaIssue['path'] = []): string {
  // Its own `map` makes a list of the class it is of, which may take other arguments than a list does.
  const keys = Array.from(path, (step) => String(typeof step === 'object' ? step.key : step));
  return ['', index, ...keys.map((key) => key.replaceAll('~', '~0').replaceAll('/', '~1'))].join('/');
}

function violationsAt(schema: InputSchema, value: unknown, index: number): string[] {
  try {
    const result = schema['~standard'].validate(value);
    if ('then' in result) {
      // Nobody else waits for it: a rejection must not become the host's.
      result.then(undefined, () => undefined);
      return [`/${index} not checked: the schema answers later`];
    }
    return (result.issues ?? []).map(({ path, message }) => `${pointer(index, path)} ${message}`);
  } catch {
    return [`/${index} not checked: the schema threw`];
  }
}

/**
 * What the schemas have against the arguments of one call: how many things, for everybody, and which, for the recording. What a
 * schema could not tell at once counts as one. Empty where all is well. Never throws; the arguments stay as they are.
 */
export function inputViolations(schemas: readonly InputSchema[], parameters: readonly unknown[]): SemconvView {
  const found = asOwnWork(() => schemas.flatMap((schema, index) => violationsAt(schema, parameters[index], index)));
  if (found.length === 0) return {};
  return {
    slim: { [ATTR_REENACT_INPUT_VIOLATIONS]: found.length },
    content: { [ATTR_REENACT_INPUT_INVALID]: found.slice(0, INPUT_VIOLATIONS_KEPT_MAX) },
  };
}
