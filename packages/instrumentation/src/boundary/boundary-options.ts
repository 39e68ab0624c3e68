import {
  type BoundaryKind,
  CANONICAL_POLICIES,
  type CanonicalPolicy,
  type CaptureLevel,
  defaultEffect,
  type Effect,
  type ErrorClass,
  registerErrorClass,
  registerValueClass,
  type ValueClass,
} from '@reenact/trace-model';
import type { BoundaryDefinition } from '../gate/boundary-definition.ts';
import { checkKind, checkOptions } from '../gate/checked-options.ts';
import { checkedRequirements, type RequiredIdentity } from '../gate/identity-requirement.ts';
import type { InputSchemas } from './input-schema.ts';

/** What a user may say about a boundary. */
export interface BoundaryOptions<Arguments extends readonly unknown[] = readonly never[]> {
  /** What running the code does to the world. Default: by kind; a tool counts as write. */
  readonly effect?: Effect;
  /** How much content is kept. Default full; anything less makes the crossing impossible to replay. */
  readonly capture?: CaptureLevel;
  /** Error classes whose instances a replay throws again as themselves. */
  readonly errors?: readonly ErrorClass[];
  /** Classes whose instances, as arguments or results, a replay makes again as themselves. */
  readonly values?: readonly ValueClass[];
  /** Reads the model's tool call id from the arguments. Wins over `withToolCallId`. */
  readonly toolCallId?: (...parameters: Arguments) => string | undefined;
  /** Which parts of the argument list a replay compares. Default: all of it. */
  readonly policy?: CanonicalPolicy;
  /** What must be known about whom a call is for. A crossing without it is flagged and counted; the call is not changed. */
  readonly requires?: readonly RequiredIdentity[];
  /**
   * A Standard Schema (zod, valibot …) of the first argument, or a list of them, one for each argument. A crossing whose arguments
   * it refuses is flagged and counted; the call is not changed, and gets its arguments as they were given.
   */
  readonly input?: InputSchemas;
}

const optionNames: readonly (keyof BoundaryOptions)[] = [
  'effect',
  'capture',
  'errors',
  'values',
  'toolCallId',
  'policy',
  'requires',
  'input',
];

/**
 * The gate's view of a boundary a user described; also makes its error and value classes known. Throws ReenactError `bad-argument`
 * for a kind, an option or a value of one that does not exist.
 */
export function defineBoundary<Arguments extends readonly unknown[]>(
  kind: BoundaryKind,
  name: string,
  options: BoundaryOptions<Arguments>,
): BoundaryDefinition {
  checkKind(name, kind);
  checkOptions(`${kind}:${name}`, options, optionNames);
  for (const errorClass of options.errors ?? []) registerErrorClass(errorClass);
  for (const valueClass of options.values ?? []) registerValueClass(valueClass);
  return {
    kind,
    name,
    effect: options.effect ?? defaultEffect(kind),
    capture: options.capture ?? 'full',
    policy: options.policy ?? CANONICAL_POLICIES.arguments,
    ...(options.requires === undefined ? {} : { requires: checkedRequirements(`${kind}:${name}`, options.requires) }),
  };
}
