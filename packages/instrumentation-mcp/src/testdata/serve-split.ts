import { inputRequired, McpServer } from '@modelcontextprotocol/server';
import { serveStdio } from '@modelcontextprotocol/server/stdio';
import { z } from 'zod';

// Run as a process of its own: a server of the split packages, which speaks the newer protocol.
serveStdio(() => {
  const server = new McpServer({ name: 'split', version: '2.0.0' }, { instructions: 'New.' });
  const inputSchema = z.object({ left: z.number(), right: z.number() });
  server.registerTool('add', { inputSchema, annotations: { readOnlyHint: true } }, ({ left, right }) => ({
    content: [{ type: 'text', text: String(left + right) }],
  }));
  server.registerTool('deploy', { inputSchema: z.object({ to: z.string() }) }, ({ to }, { mcpReq }) => {
    const { confirm } = (mcpReq.inputResponses ?? {}) as { confirm?: { content?: { isWise?: boolean } } };
    if (confirm === undefined) {
      const requestedSchema = z.object({ isWise: z.boolean() });
      return inputRequired({ inputRequests: { confirm: inputRequired.elicit({ message: `To ${to}?`, requestedSchema }) } });
    }
    return { content: [{ type: 'text', text: `deployed: ${confirm.content?.isWise}` }] };
  });
  return server;
});
