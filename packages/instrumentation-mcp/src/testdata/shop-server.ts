import { appendFileSync } from 'node:fs';
import { McpServer, ResourceTemplate } from '@modelcontextprotocol/sdk/server/mcp.js';
import { CreateMessageResultSchema, ElicitResultSchema, ListRootsResultSchema } from '@modelcontextprotocol/sdk/types.js';
import { z } from 'zod';

/** A real server of the SDK. Whatever changes the world is appended to `effectsPath`. */
export function shopServer(effectsPath: string): McpServer {
  const info = { name: 'shop', version: '1.2.3' };
  const server = new McpServer(info, { instructions: 'Sell shares.', capabilities: { logging: {} } });
  const readOnly = { annotations: { readOnlyHint: true } };
  server.registerTool('add', { ...readOnly, inputSchema: { left: z.number(), right: z.number() }, outputSchema: { sum: z.number() } }, ({ left, right }) => ({
    content: [{ type: 'text', text: String(left + right) }],
    structuredContent: { sum: left + right },
  }));
  server.registerTool('slow', { ...readOnly, inputSchema: { delayMs: z.number() } }, async ({ delayMs }) => {
    await new Promise((resolve) => setTimeout(resolve, delayMs));
    return { content: [{ type: 'text', text: `after ${delayMs}` }] };
  });
  server.registerTool('place_order', { annotations: { destructiveHint: true }, inputSchema: { shares: z.number() } }, ({ shares }) => {
    appendFileSync(effectsPath, `order ${shares}\n`);
    return { content: [{ type: 'text', text: `sold ${shares}` }] };
  });
  server.registerTool('fail', {}, () => {
    throw new RangeError('out of shares');
  });
  server.registerTool('meta', {}, ({ _meta }) => ({ content: [{ type: 'text', text: JSON.stringify(_meta ?? {}) }] }));
  server.registerTool('progress', {}, async ({ _meta, sendNotification }) => {
    const progressToken = _meta?.progressToken ?? 'none';
    await sendNotification({ method: 'notifications/progress', params: { progressToken, progress: 1 } });
    // The SDK forgets who asked for progress as soon as the result is in: it has to have seen it before.
    await server.server.ping();
    return { content: [] };
  });
  server.registerTool('log', {}, async ({ sendNotification }) => {
    for (const data of ['looking', 'found']) {
      await sendNotification({ method: 'notifications/message', params: { level: 'info', data } });
    }
    await server.server.ping();
    return { content: [] };
  });
  server.registerTool('consult', {}, async ({ _meta, sendNotification, sendRequest }) => {
    const progressToken = _meta?.progressToken ?? 'none';
    const progress = (step: number) => sendNotification({ method: 'notifications/progress', params: { progressToken, progress: step } });
    await progress(1);
    await sendNotification({ method: 'notifications/message', params: { level: 'info', data: 'asking' } });
    const requestedSchema = { type: 'object', properties: { shares: { type: 'integer' } } } as const;
    const asked = { method: 'elicitation/create', params: { message: 'How many?', requestedSchema } } as const;
    const { content } = await sendRequest(asked, ElicitResultSchema);
    await progress(2);
    const text = `Is ${JSON.stringify(content)} wise?`;
    const params = { messages: [{ role: 'user' as const, content: { type: 'text' as const, text } }], maxTokens: 10 };
    const said = await sendRequest({ method: 'sampling/createMessage', params }, CreateMessageResultSchema);
    const refused = await sendRequest({ method: 'roots/list' }, ListRootsResultSchema).catch((error: Error) => error.message);
    return { content: [{ type: 'text', text: JSON.stringify([content, said.content, refused]) }] };
  });
  server.registerTool('ask', {}, async () => {
    const { roots } = await server.server.listRoots();
    return { content: [{ type: 'text', text: roots.map(({ uri }) => uri).join() }] };
  });
  server.registerPrompt('greet', { argsSchema: { who: z.string() } }, ({ who }) => ({
    messages: [{ role: 'user', content: { type: 'text', text: `Greet ${who}` } }],
  }));
  const policies = new ResourceTemplate('policy://{name}', { list: undefined });
  server.registerResource('policy', policies, {}, ({ href }) => ({ contents: [{ uri: href, text: `text of ${href}` }] }));
  return server;
}
