import {
  ATTR_GEN_AI_AGENT_NAME,
  ATTR_GEN_AI_DATA_SOURCE_ID,
  ATTR_GEN_AI_OPERATION_NAME,
  ATTR_GEN_AI_TOOL_NAME,
  ATTR_GEN_AI_TOOL_TYPE,
  ATTR_MCP_METHOD_NAME,
  GEN_AI_OPERATION_NAME_VALUE_EMBEDDINGS,
  GEN_AI_OPERATION_NAME_VALUE_EXECUTE_TOOL,
  GEN_AI_OPERATION_NAME_VALUE_INVOKE_AGENT,
  GEN_AI_OPERATION_NAME_VALUE_RETRIEVAL,
  MCP_METHOD_NAME_VALUE_TOOLS_CALL,
} from '@reenact/semconv/gen-ai';
import type { BoundaryDefinition } from '../gate/boundary-definition.ts';
import type { SpanStart } from '../gate/gate.ts';

/** The part of an MCP boundary's name that is the tool: names are `<server>/<tool>`. */
function mcpTool(name: string): string {
  return name.slice(name.lastIndexOf('/') + 1);
}

/**
 * How the span of a wrapped function starts, by the GenAI conventions. A kind for which they know no operation is named
 * after the kind and carries no operation.
 */
export function spanView({ kind, name }: Pick<BoundaryDefinition, 'kind' | 'name'>): SpanStart {
  switch (kind) {
    case 'tool':
      return {
        name: `${GEN_AI_OPERATION_NAME_VALUE_EXECUTE_TOOL} ${name}`,
        kind: 'internal',
        slim: {
          [ATTR_GEN_AI_OPERATION_NAME]: GEN_AI_OPERATION_NAME_VALUE_EXECUTE_TOOL,
          [ATTR_GEN_AI_TOOL_NAME]: name,
          [ATTR_GEN_AI_TOOL_TYPE]: 'function',
        },
      };
    case 'retrieval':
      return {
        name: `${GEN_AI_OPERATION_NAME_VALUE_RETRIEVAL} ${name}`,
        kind: 'client',
        slim: {
          [ATTR_GEN_AI_OPERATION_NAME]: GEN_AI_OPERATION_NAME_VALUE_RETRIEVAL,
          [ATTR_GEN_AI_DATA_SOURCE_ID]: name,
        },
      };
    case 'agent':
      return {
        name: `${GEN_AI_OPERATION_NAME_VALUE_INVOKE_AGENT} ${name}`,
        kind: 'internal',
        slim: {
          [ATTR_GEN_AI_OPERATION_NAME]: GEN_AI_OPERATION_NAME_VALUE_INVOKE_AGENT,
          [ATTR_GEN_AI_AGENT_NAME]: name,
        },
      };
    case 'embedding':
      return {
        name: `${GEN_AI_OPERATION_NAME_VALUE_EMBEDDINGS} ${name}`,
        kind: 'client',
        slim: { [ATTR_GEN_AI_OPERATION_NAME]: GEN_AI_OPERATION_NAME_VALUE_EMBEDDINGS },
      };
    case 'mcp':
      return {
        name: `${MCP_METHOD_NAME_VALUE_TOOLS_CALL} ${mcpTool(name)}`,
        kind: 'client',
        slim: {
          [ATTR_GEN_AI_OPERATION_NAME]: GEN_AI_OPERATION_NAME_VALUE_EXECUTE_TOOL,
          [ATTR_GEN_AI_TOOL_NAME]: mcpTool(name),
          [ATTR_MCP_METHOD_NAME]: MCP_METHOD_NAME_VALUE_TOOLS_CALL,
        },
      };
    case 'model':
    case 'memory':
    case 'database':
    case 'http':
    case 'rpc':
      return { name: `${kind} ${name}`, kind: 'client' };
    case 'message':
      return { name: `${kind} ${name}`, kind: 'consumer' };
    case 'guardrail':
    case 'verify':
    case 'approval':
    case 'file':
    case 'environment':
    case 'screen':
    case 'clock':
    case 'random':
    case 'function':
      return { name: `${kind} ${name}`, kind: 'internal' };
  }
}
