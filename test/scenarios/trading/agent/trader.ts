import type OpenAI from 'openai';
import { agent, withToolCallId } from 'reenact';
import { orderSize } from './guardrail.ts';
import { searchPolicies } from './policies.ts';
import { CHAT_MODEL, openai } from './provider-client.ts';
import { assessRisk } from './risk-analyst.ts';
import { toolDefinitions } from './tool-definitions.ts';
import { getPosition, getQuote, type Order, placeOrder } from './tools.ts';

type Message = OpenAI.Chat.Completions.ChatCompletionMessageParam;

const STEPS_MAX = 6;

interface ToolCall {
  id: string;
  name: string;
  arguments: string;
}

interface ModelTurn {
  text: string;
  toolCalls: ToolCall[];
}

function collectToolCalls(
  turn: ModelTurn,
  deltas: readonly OpenAI.Chat.Completions.ChatCompletionChunk.Choice.Delta.ToolCall[],
): void {
  for (const delta of deltas) {
    const call = turn.toolCalls[delta.index] ?? { id: '', name: '', arguments: '' };
    turn.toolCalls[delta.index] = call;
    call.id += delta.id ?? '';
    call.name += delta.function?.name ?? '';
    call.arguments += delta.function?.arguments ?? '';
  }
}

async function askModel(messages: Message[], onText: (text: string) => void): Promise<ModelTurn> {
  const stream = await openai.chat.completions.create({
    model: CHAT_MODEL,
    messages,
    tools: toolDefinitions,
    stream: true,
    stream_options: { include_usage: true },
  });
  const turn: ModelTurn = { text: '', toolCalls: [] };
  for await (const chunk of stream) {
    const delta = chunk.choices[0]?.delta;
    collectToolCalls(turn, delta?.tool_calls ?? []);
    if (delta?.content) {
      turn.text += delta.content;
      onText(delta.content);
    }
  }
  return turn;
}

async function guardedOrder(order: Order, request: string): Promise<unknown> {
  const { price } = await getQuote({ symbol: order.symbol });
  const verdict = orderSize({ order, request, price });
  return verdict.allowed ? placeOrder(order) : { blocked: true, reason: verdict.reason };
}

async function runTool(call: ToolCall, request: string): Promise<unknown> {
  const input = JSON.parse(call.arguments);
  switch (call.name) {
    case 'get_position':
      return getPosition(input);
    case 'get_quote':
      return getQuote(input);
    case 'place_order':
      return guardedOrder(input, request);
    default:
      return { error: `There is no tool ${call.name}.` };
  }
}

async function toolMessage(call: ToolCall, request: string): Promise<Message> {
  const result = await withToolCallId(call.id, () => runTool(call, request));
  return { role: 'tool', tool_call_id: call.id, content: JSON.stringify(result) };
}

function assistantMessage({ text, toolCalls }: ModelTurn): Message {
  return {
    role: 'assistant',
    content: text === '' ? null : text,
    tool_calls: toolCalls.map(({ id, name, arguments: text }) => ({
      id,
      type: 'function',
      function: { name, arguments: text },
    })),
  };
}

/** Answers one customer request: search the policies, ask the sub-agent, then loop over model and tools. */
export const answerCustomer = agent(
  'trader',
  async ({ request, account, onText }: { request: string; account: string; onText: (text: string) => void }) => {
    const policies = (await searchPolicies({ query: request })).map(({ content }) => content);
    const risk = await assessRisk({ request, policies });
    const messages: Message[] = [
      {
        role: 'system',
        content: `You trade for account ${account}. Use the tools, then answer.\nPolicies:\n${policies.join('\n')}\nRisk: ${risk}`,
      },
      { role: 'user', content: request },
    ];
    for (let step = 0; step < STEPS_MAX; step += 1) {
      const turn = await askModel(messages, onText);
      if (turn.toolCalls.length === 0) return turn.text;
      messages.push(
        assistantMessage(turn),
        ...(await Promise.all(turn.toolCalls.map((call) => toolMessage(call, request)))),
      );
    }
    return 'I could not finish this request.';
  },
);
