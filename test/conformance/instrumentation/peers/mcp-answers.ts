/** One message of the protocol, as it came over the wire. */
export interface McpMessage {
  readonly id?: number | string;
  /** Absent where a client answers. */
  readonly method?: string;
  readonly params?: Readonly<Record<string, unknown>>;
  /** What a client answers. */
  readonly result?: unknown;
}

/** How a server answers a request. `break`: it goes away in the middle of its answer. `limit`: it turns the request away. */
export type McpAnswer =
  | { readonly type: 'result'; readonly result: unknown }
  | { readonly type: 'error'; readonly code: number; readonly message: string; readonly data?: unknown }
  | { readonly type: 'break' }
  | { readonly type: 'limit' }
  | { readonly type: 'nothing' };

const tools = [
  {
    name: 'add',
    annotations: { readOnlyHint: true },
    inputSchema: { type: 'object' },
    outputSchema: { type: 'object', properties: { sum: { type: 'number' } }, required: ['sum'] },
  },
  { name: 'place_order', annotations: { destructiveHint: true }, inputSchema: { type: 'object' } },
];

const text = (said: string): object => ({ content: [{ type: 'text', text: said }] });
const result = (value: unknown): McpAnswer => ({ type: 'result', result: value });

/** Sends a message of the server's own while it answers a request. */
export type SayMeanwhile = (message: object) => void;

/** What a server of the protocol says, in every mood; the name of the tool chooses. */
export class McpAnswers {
  private isLimited = true;
  private hanging = 0;
  private onCalledOff: (() => void)[] = [];
  private asked = 0;
  private readonly onAnswered = new Map<unknown, (result: unknown) => void>();

  /** Hears a notification. */
  notified({ method }: McpMessage): void {
    if (method !== 'notifications/cancelled') return;
    this.hanging -= 1;
    this.tellCalledOff();
  }

  private tellCalledOff(): void {
    if (this.hanging === 0) for (const tell of this.onCalledOff.splice(0)) tell();
  }

  /** Hears what a client answers to a question of the server. */
  answered({ id, result: said }: McpMessage): void {
    this.onAnswered.get(id)?.(said);
  }

  private ask(say: SayMeanwhile, method: string, params: object): Promise<unknown> {
    this.asked += 1;
    const id = `question-${this.asked}`;
    return new Promise((resolve) => {
      this.onAnswered.set(id, resolve);
      say({ id, method, params });
    });
  }

  /** Says something of each sort before it answers; the pings see to it that all of it has been heard. */
  private async consult(say: SayMeanwhile, progressToken: unknown): Promise<McpAnswer> {
    say({ method: 'notifications/progress', params: { progressToken, progress: 1 } });
    await this.ask(say, 'ping', {});
    say({ method: 'notifications/message', params: { level: 'info', data: 'asking' } });
    await this.ask(say, 'ping', {});
    const requestedSchema = { type: 'object', properties: { shares: { type: 'integer' } } };
    const approval = await this.ask(say, 'elicitation/create', { message: 'How many?', requestedSchema });
    return result(text(JSON.stringify(approval)));
  }

  /** Answers a request. `say`: how to say something before that. */
  async answer({ method, params = {} }: McpMessage, say: SayMeanwhile): Promise<McpAnswer> {
    switch (method) {
      case 'initialize':
        return result({
          protocolVersion: params.protocolVersion,
          capabilities: { tools: {}, prompts: {}, resources: {}, completions: {}, logging: {} },
          serverInfo: { name: 'shop', version: '1.2.3' },
          instructions: 'Sell shares.',
        });
      case 'tools/list':
        return result({ tools });
      case 'tools/call':
        if (params.name === 'consult')
          return this.consult(say, (params._meta as { progressToken?: unknown } | undefined)?.progressToken);
        return this.call(String(params.name), params.arguments as Readonly<Record<string, unknown>>);
      case 'prompts/get':
        return result({ messages: [{ role: 'user', content: { type: 'text', text: 'Greet ACME' } }] });
      case 'completion/complete':
        return result({ completion: { values: ['ACME', 'ACID'], total: 2 } });
      case 'resources/read':
        return { type: 'error', code: -32_602, message: 'no such resource', data: { uri: params.uri } };
      default:
        return { type: 'error', code: -32_601, message: 'Method not found' };
    }
  }

  private async call(tool: string, given: Readonly<Record<string, unknown>> = {}): Promise<McpAnswer> {
    switch (tool) {
      case 'add': {
        const sum = Number(given.left) + Number(given.right);
        return result({ ...text(String(sum)), structuredContent: { sum } });
      }
      case 'fail':
        return result({ ...text('out of shares'), isError: true });
      case 'limited': {
        const { isLimited } = this;
        this.isLimited = false;
        return isLimited ? { type: 'limit' } : result(text('sold'));
      }
      case 'break':
        return { type: 'break' };
      case 'hang':
        this.hanging += 1;
        return { type: 'nothing' };
      case 'called off':
        return this.calledOff();
      default:
        return result(text(`${tool} ${JSON.stringify(given)}`));
    }
  }

  /** Answered when every call that hangs was called off: whoever asks knows that all it sent has arrived. */
  private calledOff(): Promise<McpAnswer> {
    return new Promise((resolve) => {
      this.onCalledOff.push(() => resolve(result(text('called off'))));
      this.tellCalledOff();
    });
  }
}
