import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/** Answers the request with this number, from 0, whose body is given as it was sent. */
export type Script = (response: ServerResponse, body: string, number: number) => unknown;

/** A provider that answers byte for byte as the test says. */
export interface ScriptedProvider {
  /** For a client's `baseURL`. */
  readonly baseUrl: string;
  requestCount(): number;
  stop(): Promise<void>;
}

async function textOf(message: IncomingMessage): Promise<string> {
  const parts: Buffer[] = [];
  for await (const part of message) parts.push(part as Buffer);
  return Buffer.concat(parts).toString('utf8');
}

/** Starts it on a free port. */
export async function startScriptedProvider(script: Script): Promise<ScriptedProvider> {
  let count = 0;
  const server = createServer(async (message, response) => {
    const body = await textOf(message);
    count += 1;
    await script(response, body, count - 1);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    baseUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`,
    requestCount: () => count,
    stop: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

/** A chat completion that says this. */
export function completion(content: string): Record<string, unknown> {
  return {
    id: `chatcmpl-${content}`,
    object: 'chat.completion',
    created: 1_763_700_000,
    model: 'gpt-5-mini-2026-08-07',
    choices: [
      { index: 0, message: { role: 'assistant', content, refusal: null }, logprobs: null, finish_reason: 'stop' },
    ],
    usage: { prompt_tokens: 9, completion_tokens: 3, total_tokens: 12 },
    system_fingerprint: 'fp_1',
  };
}

/** One server-sent event of a streamed completion. */
export function chunkEvent(content: string, finishReason: string | null = null): string {
  const choices = [{ index: 0, delta: { content }, logprobs: null, finish_reason: finishReason }];
  const chunk = { id: 'chatcmpl-s', object: 'chat.completion.chunk', created: 1_763_700_000, model: 'm', choices };
  return `data: ${JSON.stringify(chunk)}\n\n`;
}

/** Answers with JSON and the headers a provider sends. */
export function sendJson(response: ServerResponse, value: unknown, status = 200, headers = {}): void {
  response.writeHead(status, { 'content-type': 'application/json', 'x-request-id': 'req_77', ...headers });
  response.end(JSON.stringify(value));
}

/** The question of a request: the content of its last message. */
export function questionOf(body: string): string {
  const { messages } = JSON.parse(body) as { messages: { content: string }[] };
  return messages.at(-1)?.content ?? '';
}
