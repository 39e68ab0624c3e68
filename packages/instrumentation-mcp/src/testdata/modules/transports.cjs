const { Experimental_StdioMCPTransport } = require('@ai-sdk/mcp/mcp-stdio');
const { StdioClientTransport: SplitTransport } = require('@modelcontextprotocol/client/stdio');
const { StdioClientTransport } = require('@modelcontextprotocol/sdk/client/stdio.js');
const { patchedMembers } = require('../../patched-members.ts');

const classes = [Experimental_StdioMCPTransport, SplitTransport, StdioClientTransport];
process.stdout.write(JSON.stringify(classes.map(({ prototype }) => patchedMembers.isPatched(prototype.start))));
