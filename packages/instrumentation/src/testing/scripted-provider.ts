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
export class ScriptedProvider {
  readonly requests: SeenRequest[] = [];
  private readonly server: Server;

  private constructor(script: Script) {
    this.server = createServer((message, response) => {
      void this.answer(script, message, response);
    });
  }

  static async start(script: Script): Promise<ScriptedProvider> {
    const scripted = new ScriptedProvider(script);
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
