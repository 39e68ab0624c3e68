import type { Span } from '@reenact/otlp';
import { ATTR_USER_ID } from '@reenact/semconv/core';
import {
  ATTR_GEN_AI_AGENT_NAME,
  ATTR_GEN_AI_OPERATION_NAME,
  ATTR_GEN_AI_OUTPUT_MESSAGES,
  ATTR_GEN_AI_PROVIDER_NAME,
  ATTR_GEN_AI_REQUEST_MODEL,
  ATTR_GEN_AI_TOOL_CALL_ARGUMENTS,
  ATTR_GEN_AI_TOOL_CALL_RESULT,
  ATTR_GEN_AI_TOOL_NAME,
  ATTR_GEN_AI_USAGE_OUTPUT_TOKENS,
} from '@reenact/semconv/gen-ai';
import { ATTR_REENACT_TENANT } from '@reenact/semconv/reenact';
import { textAttributes } from '../testbed.ts';

/** What one span says beside its form, as far as a list of runs tells of it. */
export interface Content {
  readonly members: Partial<Span>;
  /** The boundary, as ours name it. */
  readonly boundary: readonly [kind: string, name: string];
  readonly isFailed?: true;
  readonly user?: string;
  readonly tenant?: string;
  readonly model?: string;
  readonly tokens?: number;
  readonly word?: string;
  /** Of a tool, which all are called with the same. */
  readonly result?: string;
}

/** Who serves every model. */
export const PROVIDER = 'acme';

const FAILED = { status: { code: 2 } } as const;

function agentOf(user: string, tenant: string, isFailed?: true): Content {
  const said = {
    [ATTR_GEN_AI_OPERATION_NAME]: 'invoke_agent',
    [ATTR_GEN_AI_AGENT_NAME]: 'trader',
    [ATTR_USER_ID]: user,
    [ATTR_REENACT_TENANT]: tenant,
  };
  const members = { attributes: textAttributes(said), ...(isFailed ? FAILED : {}) };
  return { members, boundary: ['agent', 'trader'], user, tenant, ...(isFailed ? { isFailed } : {}) };
}

function modelOf(model: string, tokens: number, word: string): Content {
  const message = { role: 'assistant', parts: [{ type: 'text', content: word }], finish_reason: 'stop' };
  const said = {
    [ATTR_GEN_AI_OPERATION_NAME]: 'chat',
    [ATTR_GEN_AI_PROVIDER_NAME]: PROVIDER,
    [ATTR_GEN_AI_REQUEST_MODEL]: model,
    [ATTR_GEN_AI_OUTPUT_MESSAGES]: JSON.stringify([message]),
  };
  const used = { key: ATTR_GEN_AI_USAGE_OUTPUT_TOKENS, value: { intValue: String(tokens) } };
  const members = { attributes: [...textAttributes(said), used] };
  return { members, boundary: ['model', `${PROVIDER}.chat`], model, tokens, word };
}

function toolOf(result: string): Content {
  const said = {
    [ATTR_GEN_AI_OPERATION_NAME]: 'execute_tool',
    [ATTR_GEN_AI_TOOL_NAME]: 'quote',
    [ATTR_GEN_AI_TOOL_CALL_ARGUMENTS]: '{"symbol":"ACME"}',
    [ATTR_GEN_AI_TOOL_CALL_RESULT]: JSON.stringify({ result }),
  };
  return { members: { attributes: textAttributes(said) }, boundary: ['tool', 'quote'], word: result, result };
}

/** What roots say. */
const ROOTS = [
  agentOf('ada', 'north'),
  agentOf('ada', 'south', true),
  agentOf('bob', 'north'),
  agentOf('bob', 'south'),
];

/** What the others say. */
const OTHERS = [modelOf('small', 10, 'amber'), modelOf('large', 7, 'birch'), toolOf('cedar'), toolOf('delta')];

/** How many there are of each. */
export const CONTENTS = ROOTS.length;

/** The number of the span that is the root where it is there. */
export const ROOT = 1;

/** What a span says. */
export function contentOf(span: number, content: number): Content {
  const found = (span === ROOT ? ROOTS : OTHERS)[content];
  if (found === undefined) throw new RangeError(`no content ${content}`);
  return found;
}
