import { createHash } from 'node:crypto';
import { canonicalJson, isTree } from './json-tree.ts';
import type { Payload } from './payload.ts';
import { payloadTree } from './payload-tree.ts';

/**
 * Which parts of an input are load-bearing (DESIGN section 6, "canonical input"). A policy is named on the span, so that
 * a recording is always compared by the rule it was made for.
 */
export interface CanonicalPolicy {
  /** `<name>/<version>`. */
  readonly name: string;
  /** Top-level members that are compared; absent means the whole input. */
  readonly fields?: readonly string[];
}

const modelRequestFields = [
  'model',
  'messages',
  'input',
  'instructions',
  'tools',
  'tool_choice',
  'parallel_tool_calls',
  'functions',
  'function_call',
  'temperature',
  'top_p',
  'top_k',
  'n',
  'stop',
  'seed',
  'max_tokens',
  'max_completion_tokens',
  'max_output_tokens',
  'frequency_penalty',
  'presence_penalty',
  'logit_bias',
  'logprobs',
  'top_logprobs',
  'response_format',
  'text',
  'reasoning',
  'reasoning_effort',
  'previous_response_id',
  'modalities',
  'dimensions',
  'encoding_format',
  'stream',
] as const;

/** Every policy of every released version; a name is never given another meaning. */
export const CANONICAL_POLICIES = {
  arguments: { name: 'arguments/1' },
  modelRequest: { name: 'model-request/1', fields: modelRequestFields },
} as const satisfies Record<string, CanonicalPolicy>;

/** The policy of a name, or undefined where this version does not know it. */
export function canonicalPolicy(name: string): CanonicalPolicy | undefined {
  return Object.values(CANONICAL_POLICIES).find((policy) => policy.name === name);
}

/** The load-bearing part of an input as a JSON tree, tags left in place. */
export function canonicalTree(policy: CanonicalPolicy, tree: unknown): unknown {
  const { fields } = policy;
  if (fields === undefined || !isTree(tree)) return tree;
  return Object.fromEntries(Object.entries(tree).filter(([key]) => fields.includes(key)));
}

/** The match key of an input: `v1:sha256:<hex>` over its canonical JSON. */
export function canonicalKey(policy: CanonicalPolicy, input: Payload): string {
  const text = canonicalJson(canonicalTree(policy, payloadTree(input)));
  return `v1:sha256:${createHash('sha256').update(text, 'utf8').digest('hex')}`;
}
