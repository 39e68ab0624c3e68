// What the agent does, however it is asked: a model decides, a tool server does what the model says.
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

/** What the agent is asked. */
export interface Request {
  readonly wish: string;
  readonly desk: string;
}

/** Somebody who is asked about an order before it is placed. */
export type Review = (order: { readonly shares: number }) => Promise<string>;

/** Handles one wish. */
export async function advise({ wish, desk }: Request, review?: Review): Promise<string> {
  const rule = process.env.ADVISOR_RULE ?? 'Do what the customer wants.';
  const messages: OpenAI.ChatCompletionMessageParam[] = [
    { role: 'system', content: `${rule} You work for ${desk}.` },
    { role: 'user', content: wish },
  ];
  const decided = await openai.chat.completions.create({ model, messages, tools: [...tools] });
  const [choice] = decided.choices;
  const [call] = choice?.message.tool_calls ?? [];
  if (choice === undefined || call?.type !== 'function') return choice?.message.content ?? '';
  const order = JSON.parse(call.function.arguments) as { shares: number };
  const remark = review === undefined ? [] : [await review(order)];
  const client = new Client({ name: 'advisor', version: '1.0.0' });
  await client.connect(new StreamableHTTPClientTransport(new URL(`${process.env.DESK_URL}/mcp`)) as Transport);
  const placed = await client.callTool({ name: call.function.name, arguments: order });
  await client.close();
  const said = [JSON.stringify(placed.content), ...remark].join('\n');
  messages.push(choice.message, { role: 'tool', tool_call_id: call.id, content: said });
  const told = await openai.chat.completions.create({ model, messages, tools: [...tools] });
  return told.choices[0]?.message.content ?? '';
}
