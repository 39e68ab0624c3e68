import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { McpError } from '@modelcontextprotocol/sdk/types.js';
import { instrumentMcpClient } from '@reenact/instrumentation-mcp';
import { act } from './mcp-act.mjs';

export const run = (address) =>
  act(
    instrumentMcpClient(new Client({ name: 'fidelity', version: '1.0.0' })),
    new StdioClientTransport(JSON.parse(address)),
    McpError,
  );
