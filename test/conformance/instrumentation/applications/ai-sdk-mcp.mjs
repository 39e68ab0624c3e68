import { createMCPClient } from '@ai-sdk/mcp';
import { Experimental_StdioMCPTransport } from '@ai-sdk/mcp/mcp-stdio';
import { act } from './ai-sdk-mcp-act.mjs';

export const run = (address) => act(createMCPClient, new Experimental_StdioMCPTransport(JSON.parse(address)));
