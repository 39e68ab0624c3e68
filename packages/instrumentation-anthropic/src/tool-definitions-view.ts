import { listOf, membersOf, stringOf } from '@reenact/instrumentation';

/** One tool as the conventions write it. */
interface ToolDefinition {
  readonly type: string;
  readonly name: string;
  readonly description?: string;
  readonly parameters?: unknown;
}

/** The tools of a request in the form of the conventions; undefined where there are none. Tools of the provider keep their type. */
export function toolDefinitions(tools: unknown): ToolDefinition[] | undefined {
  const definitions = listOf(tools).map((value) => {
    const tool = membersOf(value);
    const type = stringOf(tool.type) ?? 'custom';
    const description = stringOf(tool.description);
    return {
      type: type === 'custom' ? 'function' : type,
      name: stringOf(tool.name) ?? type,
      ...(description === undefined ? {} : { description }),
      ...(tool.input_schema === undefined ? {} : { parameters: tool.input_schema }),
    };
  });
  return definitions.length === 0 ? undefined : definitions;
}
