import type OpenAI from 'openai';
import { guardrail, tool, withToolCallId } from 'reenact';
import type { Act } from '../../serve/recorded-agent.ts';
import type { Script } from '../../serve/scripted-provider.ts';
import { chatAnswer, chatCall, json, question } from './answers.ts';

/** What the broker's tools throw. */
export class BrokerError extends Error {
  readonly code: string;
  readonly status: number;

  constructor(message: string, code: string, status: number) {
    super(message);
    this.name = 'BrokerError';
    this.code = code;
    this.status = status;
  }
}

/** How this run of the agent differs from the recorded one. */
export interface BrokerSettings {
  readonly prompt?: string;
  readonly model?: string;
  readonly describesQuote?: string;
  readonly requestId?: () => string;
  readonly price?: number;
}

/** An agent that asks for a price, asks the model, and places what the model says; `done` keeps what really happened. */
export class Broker {
  readonly done: string[] = [];
  private readonly settings: BrokerSettings;

  constructor(settings: BrokerSettings = {}) {
    this.settings = settings;
  }

  private readonly quote = tool(
    'get_quote',
    async ({ symbol }: { symbol: string; requestId: string }) => {
      this.done.push(`quoted ${symbol}`);
      return { symbol, price: this.settings.price ?? 190, asked: new Date(0) };
    },
    { effect: 'read', errors: [BrokerError] },
  );

  private readonly ticks = tool(
    'ticks',
    async function* (this: void, symbol: string) {
      yield { symbol, price: 189 };
      yield { symbol, price: 190 };
      yield { symbol, price: 191 };
    },
    { effect: 'read' },
  );

  private readonly check = guardrail('limit', (order: { shares: number }) => {
    this.done.push(`checked ${order.shares}`);
    return { allowed: order.shares <= 1000 };
  });

  private readonly place = tool('place_order', async (order: { shares: number }) => {
    this.done.push(`placed ${order.shares}`);
    return { filled: order.shares };
  });

  private tools(): OpenAI.Chat.ChatCompletionTool[] {
    const parameters = { type: 'object', properties: { shares: { type: 'integer' } } };
    const description = this.settings.describesQuote ?? 'Last traded price.';
    return [
      { type: 'function', function: { name: 'place_order', description: 'Place an order.', parameters } },
      { type: 'function', function: { name: 'get_quote', description, parameters: {} } },
    ];
  }

  private ask(client: OpenAI, messages: OpenAI.Chat.ChatCompletionMessageParam[]): Promise<OpenAI.Chat.ChatCompletion> {
    const { model = 'gpt-5-mini', prompt = 'You trade.' } = this.settings;
    const system = { role: 'system', content: prompt } as const;
    return client.chat.completions.create({
      model,
      messages: [system, ...messages],
      tools: this.tools(),
      temperature: 0,
    });
  }

  private async order(call: OpenAI.Chat.ChatCompletionMessageToolCall): Promise<unknown> {
    if (call.type !== 'function') return undefined;
    const order = JSON.parse(call.function.arguments) as { shares: number };
    if (!this.check(order).allowed) return { refused: order.shares };
    return withToolCallId(call.id, () => this.place(order));
  }

  private async seen(): Promise<number> {
    let last = 0;
    for await (const { price } of this.ticks('ACME')) last = price;
    return last;
  }

  /** The agent's code. */
  readonly act: Act = async (client) => {
    const requestId = this.settings.requestId?.() ?? 'request-1';
    const said = await this.quote({ symbol: 'ACME', requestId }).catch((error: unknown) => ({
      price: 0,
      failed: error,
    }));
    const last = await this.seen().catch((error: unknown) => (error as Error).name);
    const about = { role: 'user', content: `price ${said.price}, last ${last}` } as const;
    const first = await this.ask(client, [...question, about]);
    const message = first.choices[0]?.message;
    const calls = message?.tool_calls ?? [];
    if (message === undefined || calls.length === 0) return { price: said.price, said: message?.content };
    const results = [];
    for (const call of calls) {
      const content = JSON.stringify(await this.order(call));
      results.push({ role: 'tool', tool_call_id: call.id, content } as const);
    }
    const second = await this.ask(client, [...question, about, message, ...results]);
    return { price: said.price, said: second.choices[0]?.message.content };
  };
}

/** First an order, then a sentence about it. */
export const brokerScript: Script = (response, body, number) => {
  const answers = [
    chatAnswer(null, [chatCall('call_1', 'place_order', { shares: 1000 })]),
    chatAnswer('Sold 1,000 shares.'),
  ];
  return json(answers[number % 2] ?? {})(response, body, number);
};
