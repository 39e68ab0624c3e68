const { Client } = require('@modelcontextprotocol/sdk/client/index.js');
const { StreamableHTTPClientTransport } = require('@modelcontextprotocol/sdk/client/streamableHttp.js');
const { McpError } = require('@modelcontextprotocol/sdk/types.js');

exports.run = async (address) => {
  const { act } = await import('./mcp-act.mjs');
  return act(
    new Client({ name: 'fidelity', version: '1.0.0' }),
    new StreamableHTTPClientTransport(new URL(address)),
    McpError,
  );
};
