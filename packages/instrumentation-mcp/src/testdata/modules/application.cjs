const { Client } = require('@modelcontextprotocol/sdk/client/index.js');
const { StdioClientTransport } = require('@modelcontextprotocol/sdk/client/stdio.js');
const { McpError } = require('@modelcontextprotocol/sdk/types.js');
const { exercise } = require('./exercise.ts');

void exercise({ Client, StdioClientTransport, McpError });
