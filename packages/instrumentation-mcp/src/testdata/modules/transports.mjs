import { Experimental_StdioMCPTransport } from '@ai-sdk/mcp/mcp-stdio';
import { StdioClientTransport as SplitTransport } from '@modelcontextprotocol/client/stdio';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { patchedMembers } from '../../patched-members.ts';

const classes = [Experimental_StdioMCPTransport, SplitTransport, StdioClientTransport];
process.stdout.write(JSON.stringify(classes.map(({ prototype }) => patchedMembers.isPatched(prototype.start))));
