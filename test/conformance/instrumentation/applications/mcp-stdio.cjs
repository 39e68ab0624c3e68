const { Client } = require('@modelcontextprotocol/sdk/client/index.js');
const { StdioClientTransport } = require('@modelcontextprotocol/sdk/client/stdio.js');
const { McpError } = require('@modelcontextprotocol/sdk/types.js');

exports.run = async (address) => {
  const { act } = await import('./mcp-act.mjs');
  return act(
    new Client({ name: 'fidelity', version: '1.0.0' }),
    new StdioClientTransport(JSON.parse(address)),
    McpError,
  );
};
