const { createMCPClient } = require('@ai-sdk/mcp');
const { Experimental_StdioMCPTransport } = require('@ai-sdk/mcp/mcp-stdio');

exports.run = async (address) => {
  const { act } = await import('./ai-sdk-mcp-act.mjs');
  return act(createMCPClient, new Experimental_StdioMCPTransport(JSON.parse(address)));
};
