// The agent service: a model decides, a tool server of its own does what the model says.
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { json } from 'node:stream/consumers';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js';
import OpenAI from 'openai';

const openai = new OpenAI();
const model = 'gpt-5-mini';
const tools = [
  {
    type: 'function',
    function: { name: 'place_order', parameters: { type: 'object', properties: { shares: { type: 'number' } } } },
  },
] as const;

async function advise({ wish, desk }: { wish: string; desk: string }): Promise<string> {
  const rule = process.env.ADVISOR_RULE ?? 'Do what the customer wants.';
  const messages: OpenAI.ChatCompletionMessageParam[] = [
    { role: 'system', content: `${rule} You work for ${desk}.` },
    { role: 'user', content: wish },
  ];
  const decided = await openai.chat.completions.create({ model, messages, tools: [...tools] });
  const [choice] = decided.choices;
  const [call] = choice?.message.tool_calls ?? [];
  if (choice === undefined || call?.type !== 'function') return choice?.message.content ?? '';
  const client = new Client({ name: 'advisor', version: '1.0.0' });
  await client.connect(new StreamableHTTPClientTransport(new URL(`${process.env.DESK_URL}/mcp`)) as Transport);
  const parameters = JSON.parse(call.function.arguments) as Record<string, unknown>;
  const placed = await client.callTool({ name: call.function.name, arguments: parameters });
  await client.close();
  messages.push(choice.message, { role: 'tool', tool_call_id: call.id, content: JSON.stringify(placed.content) });
  const told = await openai.chat.completions.create({ model, messages, tools: [...tools] });
  return told.choices[0]?.message.content ?? '';
}

const server = createServer((request, response) => {
  if (request.url !== '/run') {
    response.writeHead(404).end();
    return;
  }
  json(request)
    .then((body) => advise(body as { wish: string; desk: string }))
    .then((advice) => response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify({ advice })))
    .catch((error: unknown) => {
      response.writeHead(500, { 'content-type': 'application/json' }).end(JSON.stringify({ advice: String(error) }));
    });
});
server.listen(Number(process.env.PORT ?? 0), '127.0.0.1', () =>
  console.log(JSON.stringify({ port: (server.address() as AddressInfo).port })),
);
process.once('SIGTERM', () => server.close());
