/** What a server of MCP was asked for, without the message around it. */
export interface McpRequest {
  readonly title: 'Arguments' | 'Parameters';
  readonly json: string;
}

/** Reads what a client's message asks for. Of a tool's call, whose crossing is named after the tool, only the arguments are more than that. */
export function readMcpRequest(message: unknown): McpRequest | undefined {
  const { method, params } = Object(message) as Readonly<Record<string, unknown>>;
  if (typeof method !== 'string' || typeof params !== 'object' || params === null) return undefined;
  if (method !== 'tools/call') return { title: 'Parameters', json: JSON.stringify(params) };
  const { arguments: given = {} } = params as { readonly arguments?: unknown };
  return { title: 'Arguments', json: JSON.stringify(given) };
}
