import { readFileSync } from 'node:fs';
import type OpenAI from 'openai';
import { agent, boundary, guardrail, retrieval, tool, withToolCallId } from 'reenact';

/** One step of the desk's work, by name. */
export type DeskStep = 'search' | 'files' | 'quotes' | 'prices' | 'ask' | 'tell' | 'analyst' | 'limit' | 'order';

/** Everything the desk passes on; a mutation changes some of it. */
export interface DeskInputs {
  readonly query: Record<string, unknown>;
  readonly filesArguments: readonly unknown[];
  /** One call each, at the same time. */
  readonly quotes: readonly unknown[];
  readonly http: { readonly path: string; readonly method: string; readonly body: unknown; readonly headers: object };
  /** Beside model and messages; read anew for each call. */
  readonly request: Record<string, unknown>;
  readonly messages: readonly object[];
  readonly tools: readonly object[];
  readonly analyst: readonly unknown[];
  readonly risk: readonly unknown[];
  /** What the guardrail is asked. */
  readonly checked: Record<string, unknown>;
  readonly order: Record<string, unknown>;
  readonly orderCallId: string;
  readonly steps: readonly DeskStep[];
  /** Whether it is the analyst that reads the files. */
  readonly analystReads: boolean;
  readonly ends: (facts: { readonly said: string }) => unknown;
}

const parameters = { type: 'object', properties: { symbol: { type: 'string' } }, required: ['symbol'] };

/** The tools that the model may use. */
export const deskTools = ['get_quote', 'place_order'].map((name) => ({
  type: 'function',
  function: { name, description: `Does ${name}.`, parameters },
}));

const deskHeaders = { accept: 'application/json', 'x-tenant': 'one', authorization: 'Bearer secret-of-today' };

/** What the desk does where nothing is changed. */
export const unchanged: DeskInputs = {
  query: {
    text: 'fractional orders',
    limit: 5,
    filter: null,
    after: new Date('2026-09-01T00:00:00.000Z'),
    tags: ['policy', 'orders'],
    weights: new Map([['title', 2]]),
    offset: 0,
    account: 12345678901234567890n,
    key: Buffer.from('key'),
    pattern: /order/i,
    source: new URL('https://policies.test/a'),
    nested: { deep: { value: 1 } },
  },
  filesArguments: [{ path: 'rules.md' }, 10],
  quotes: [{ symbol: 'ACME' }, { symbol: 'INIT' }, { symbol: 'ACME' }],
  http: { path: '/prices?day=1', method: 'POST', body: { symbols: ['ACME'], limit: 3 }, headers: deskHeaders },
  request: { temperature: 0, max_completion_tokens: 500, seed: 7 },
  messages: [{ role: 'user', content: 'Sell $1,000 worth.' }],
  tools: deskTools,
  analyst: ['ACME', { horizon: 30 }],
  risk: ['ACME', 0.5],
  checked: { symbol: 'ACME', shares: 1000 },
  order: { symbol: 'ACME', shares: 1000, limit: 190 },
  orderCallId: 'call_order',
  steps: ['search', 'files', 'quotes', 'prices', 'ask', 'tell', 'analyst', 'limit', 'order'],
  analystReads: false,
  ends: ({ said }) => ({ said, done: true }),
};

/** What a desk is set up with. */
export interface DeskSetting {
  readonly client: OpenAI;
  readonly pricesUrl: string;
  /** The system prompt; no boundary covers it. */
  readonly promptFile: string;
  /** What the guardrail says when it runs. */
  readonly allows?: boolean;
  /** Everything that really happened. */
  readonly done: string[];
}

/** An agent with every sort of boundary. Each step's result goes into what later steps are asked. */
export class Desk {
  private readonly inputs: DeskInputs;
  private readonly setting: DeskSetting;
  private readonly seen: string[] = [];
  private said = '';

  constructor(inputs: DeskInputs, setting: DeskSetting) {
    this.inputs = inputs;
    this.setting = setting;
  }

  private did(what: string): void {
    this.setting.done.push(what);
  }

  private readonly search = retrieval('policies', async (_query: Record<string, unknown>) => {
    this.did('search');
    return [{ id: 'p1', score: 0.9, text: 'Round down to whole shares.' }];
  });

  private readonly files = boundary('mcp', 'files/read', async (..._parameters: unknown[]) => {
    this.did('files');
    return { content: [{ type: 'text', text: 'the rules' }] };
  });

  private readonly quote = tool('get_quote', async (asked: unknown) => {
    this.did('quote');
    return { asked, price: 190 };
  });

  private readonly risk = tool('risk', async (symbol: unknown, _quantile: unknown) => {
    this.did('risk');
    return `${symbol} is risky`;
  });

  private readonly limit = guardrail('limit', (order: Record<string, unknown>) => {
    this.did('limit');
    return { allowed: this.setting.allows ?? Number(order.shares) <= 1000 };
  });

  private readonly place = tool(
    'place_order',
    async (order: Record<string, unknown>) => {
      this.did('order');
      return { filled: order.shares };
    },
    { effect: 'destructive' },
  );

  private readonly analyst = agent('analyst', async (..._parameters: unknown[]) => {
    if (this.inputs.analystReads) await this.files(...this.inputs.filesArguments);
    return this.risk(...(this.inputs.risk as [unknown, unknown]));
  });

  private request(content: string): { model: string; messages: OpenAI.Chat.ChatCompletionMessageParam[] } {
    const system = { role: 'system', content: readFileSync(this.setting.promptFile, 'utf8') };
    const seen = { role: 'user', content: `${content} ${this.seen.join(' ')}` };
    const messages = [system, ...this.inputs.messages, seen] as OpenAI.Chat.ChatCompletionMessageParam[];
    return { model: 'gpt-5-mini', messages, ...this.inputs.request };
  }

  private async ask(): Promise<void> {
    const tools = this.inputs.tools as OpenAI.Chat.ChatCompletionTool[];
    const answer = await this.setting.client.chat.completions.create({ ...this.request('ask'), tools });
    this.seen.push(answer.choices[0]?.message.content ?? '');
  }

  private async tell(): Promise<void> {
    const stream = await this.setting.client.chat.completions.create({ ...this.request('tell'), stream: true });
    for await (const { choices } of stream) this.said += choices[0]?.delta.content ?? '';
  }

  private async prices(): Promise<void> {
    const { path, method, body, headers } = this.inputs.http;
    const response = await fetch(`${this.setting.pricesUrl}${path}`, {
      method,
      body: JSON.stringify(body),
      headers: { 'content-type': 'application/json', ...headers },
    });
    this.seen.push(await response.text());
  }

  private async step(name: DeskStep): Promise<void> {
    const { inputs } = this;
    switch (name) {
      case 'search':
        this.seen.push((await this.search(inputs.query))[0]?.text ?? '');
        break;
      case 'files':
        await this.files(...inputs.filesArguments);
        break;
      case 'quotes':
        for (const { price } of await Promise.all(inputs.quotes.map((asked) => this.quote(asked)))) {
          this.seen.push(String(price));
        }
        break;
      case 'prices':
        return this.prices();
      case 'ask':
        return this.ask();
      case 'tell':
        return this.tell();
      case 'analyst':
        await this.analyst(...inputs.analyst);
        break;
      case 'limit':
        this.limit(inputs.checked);
        break;
      case 'order':
        await withToolCallId(inputs.orderCallId, () => this.place(inputs.order));
        break;
    }
  }

  /** The run. */
  readonly run = agent('desk', async () => {
    for (const name of this.inputs.steps) await this.step(name);
    return this.inputs.ends({ said: this.said });
  });
}
