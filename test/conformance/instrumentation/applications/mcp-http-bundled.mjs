import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { McpError } from '@modelcontextprotocol/sdk/types.js';
import { instrumentMcpClient } from '@reenact/instrumentation-mcp';
import { act } from './mcp-act.mjs';

export const run = (address) =>
  act(
    instrumentMcpClient(new Client({ name: 'fidelity', version: '1.0.0' })),
    new StreamableHTTPClientTransport(new URL(address)),
    McpError,
  );
