import { createMCPClient } from '@ai-sdk/mcp';
import { Experimental_StdioMCPTransport } from '@ai-sdk/mcp/mcp-stdio';
import { instrumentMcpTransport } from '@reenact/instrumentation-mcp';
import { act } from './ai-sdk-mcp-act.mjs';

export const run = (address) =>
  act(createMCPClient, instrumentMcpTransport(new Experimental_StdioMCPTransport(JSON.parse(address))));
