import {
  ATTR_GEN_AI_INPUT_MESSAGES,
  ATTR_GEN_AI_SYSTEM_INSTRUCTIONS,
  ATTR_GEN_AI_TOOL_CALL_ARGUMENTS,
} from '@reenact/semconv/gen-ai';
import { type Crossing, canonicalPolicy, canonicalTree, payloadTree } from '@reenact/trace-model';
import { attributeTree } from './outcome-view.ts';

/** What another instrumentation says went in; it has no payload of ours. */
function foreignTree(crossing: Crossing): unknown {
  const messages = attributeTree(crossing, ATTR_GEN_AI_INPUT_MESSAGES);
  const system = attributeTree(crossing, ATTR_GEN_AI_SYSTEM_INSTRUCTIONS);
  if (messages === undefined && system === undefined) return attributeTree(crossing, ATTR_GEN_AI_TOOL_CALL_ARGUMENTS);
  return { ...(system === undefined ? {} : { system }), messages };
}

/** The whole input of a crossing as a tree that JSON paths address, or undefined where it was not recorded. */
export function inputView(crossing: Crossing): unknown {
  const tree = crossing.input === undefined ? undefined : payloadTree(crossing.input);
  return tree ?? foreignTree(crossing);
}

/** The load-bearing part of the input, as the crossing's own policy names it; paths are those of the whole input. */
export function canonicalInputView(crossing: Crossing): unknown {
  const tree = inputView(crossing);
  const policy = canonicalPolicy(crossing.canonicalPolicy);
  return policy === undefined || tree === undefined ? tree : canonicalTree(policy, tree);
}
