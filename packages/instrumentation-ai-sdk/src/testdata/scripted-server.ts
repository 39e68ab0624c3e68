import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/** One request as the server saw it. */
export interface SeenRequest {
  readonly method: string;
  readonly path: string;
  readonly headers: IncomingMessage['headers'];
  readonly body: string;
}

/** Answers the request with this number, from 0. */
export type Script = (response: ServerResponse, request: SeenRequest, number: number) => unknown;

async function bodyOf(message: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of message) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks).toString('utf8');
}

/** A plain HTTP server that answers byte for byte as the test says. */
export class ScriptedServer {
  readonly requests: SeenRequest[] = [];
  private readonly server: Server;

  private constructor(script: Script) {
    this.server = createServer((message, response) => {
      void this.answer(script, message, response);
    });
  }

  static async start(script: Script): Promise<ScriptedServer> {
    const scripted = new ScriptedServer(script);
    await new Promise<void>((resolve) => scripted.server.listen(0, '127.0.0.1', resolve));
    return scripted;
  }

  private async answer(script: Script, message: IncomingMessage, response: ServerResponse): Promise<void> {
    const request = {
      method: message.method ?? '',
      path: message.url ?? '',
      headers: message.headers,
      body: await bodyOf(message),
    };
    this.requests.push(request);
    await script(response, request, this.requests.length - 1);
  }

  /** Base URL for a client. */
  get baseURL(): string {
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}/v1`;
  }

  async stop(): Promise<void> {
    this.server.closeAllConnections();
    await new Promise((resolve) => this.server.close(resolve));
  }
}

/** A chat completion as the provider writes it. */
export function completionJson(content: string): string {
  return JSON.stringify({
    id: 'chatcmpl-1',
    object: 'chat.completion',
    created: 1_700_000_000,
    model: 'gpt-4o-2024-08-06',
    choices: [{ index: 0, message: { role: 'assistant', content, refusal: null }, logprobs: null, finish_reason: 'stop' }],
    usage: { prompt_tokens: 9, completion_tokens: 3, total_tokens: 12 },
    system_fingerprint: 'fp_1',
  });
}

/** One event of a chat stream. */
export function chunkEvent(content: string, finishReason: string | null = null): string {
  const chunk = {
    id: 'chatcmpl-1',
    object: 'chat.completion.chunk',
    created: 1_700_000_000,
    model: 'gpt-4o-2024-08-06',
    choices: [{ index: 0, delta: { content }, finish_reason: finishReason }],
  };
  return `data: ${JSON.stringify(chunk)}\n\n`;
}
