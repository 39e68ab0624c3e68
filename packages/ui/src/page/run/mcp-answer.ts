type Tree = Readonly<Record<string, unknown>>;

/** What a server of MCP answered, where another client than the SDK's heard it in a message, as the result that the SDK gives; anything else as it is. */
export function readMcpAnswer(output: unknown): unknown {
  const { result, error, ...others } = Object(output) as Tree;
  if (Object.keys(others).length > 0 || (result === undefined) === (error === undefined)) return output;
  const { message } = Object(error) as Tree;
  return error === undefined ? result : { content: [{ type: 'text', text: message }], isError: true };
}
