import { listOf, membersOf, stringOf } from '@reenact/instrumentation';

/** One tool as the conventions write it. */
interface ToolDefinition {
  readonly type: string;
  readonly name: string;
  readonly description?: string;
  readonly parameters?: unknown;
}

function definitionOf(value: unknown): ToolDefinition {
  const tool = membersOf(value);
  const type = stringOf(tool.type) ?? 'function';
  // The chat API puts the definition one level down, the responses API does not.
  const inner = membersOf(tool[type]);
  const definition = stringOf(inner.name) === undefined ? tool : inner;
  const description = stringOf(definition.description);
  return {
    type,
    name: stringOf(definition.name) ?? type,
    ...(description === undefined ? {} : { description }),
    ...(definition.parameters === undefined ? {} : { parameters: definition.parameters }),
  };
}

/** The tools of a request in the form of the conventions; undefined where there are none. */
export function toolDefinitions(body: unknown): ToolDefinition[] | undefined {
  const { tools, functions } = membersOf(body);
  const definitions = [
    ...listOf(tools).map(definitionOf),
    ...listOf(functions).map((definition) => definitionOf({ type: 'function', function: definition })),
  ];
  return definitions.length === 0 ? undefined : definitions;
}
