/** One message of the protocol, as it came over the wire. */
export interface McpMessage {
  readonly id?: number | string;
  readonly method: string;
  readonly params?: Readonly<Record<string, unknown>>;
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

/** What a server of the protocol says, in every mood; the name of the tool chooses. */
export class McpAnswers {
  private isLimited = true;
  private hanging = 0;
  private onCalledOff: (() => void)[] = [];

  /** Hears a notification. */
  notified({ method }: McpMessage): void {
    if (method !== 'notifications/cancelled') return;
    this.hanging -= 1;
    this.tellCalledOff();
  }

  private tellCalledOff(): void {
    if (this.hanging === 0) for (const tell of this.onCalledOff.splice(0)) tell();
  }

  /** Answers a request. */
  async answer({ method, params = {} }: McpMessage): Promise<McpAnswer> {
    switch (method) {
      case 'initialize':
        return result({
          protocolVersion: params.protocolVersion,
          capabilities: { tools: {}, prompts: {}, resources: {}, completions: {} },
          serverInfo: { name: 'shop', version: '1.2.3' },
          instructions: 'Sell shares.',
        });
      case 'tools/list':
        return result({ tools });
      case 'tools/call':
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
