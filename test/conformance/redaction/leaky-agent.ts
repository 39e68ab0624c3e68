import { randomUUID } from 'node:crypto';
import { createServer, get, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';
import { gunzipSync, gzipSync } from 'node:zlib';
import { agent, tool } from '@reenact/instrumentation';
import { instrumentOpenAI } from '@reenact/instrumentation-openai';
import OpenAI from 'openai';

/** Answers model calls and requests with a secret in every place an answer has. */
export class LeakyServer {
  /** Method and path of each request of the agent, in order. */
  readonly requests: string[] = [];
  /**
   * What nobody but this agent can ask for. The port may have been another server's a moment ago, to which some other process
   * still sends: such a request was once counted as one of the agent's.
   */
  private readonly folder = `/agent/${randomUUID()}`;
  private readonly server: Server;

  private constructor(text: string) {
    this.server = createServer((request, response) => {
      const { method, url = '' } = request;
      if (!url.startsWith(this.folder)) {
        response.writeHead(404).end();
        return;
      }
      const path = url.slice(this.folder.length);
      this.requests.push(`${method} ${path}`);
      request.resume().on('end', () => {
        if (path.startsWith('/v1/chat')) answerModel(response, text, request.headers['x-kind'] === 'stream');
        else answerRequest(response, text, path);
      });
    });
  }

  static async start(text: string): Promise<LeakyServer> {
    const server = new LeakyServer(text);
    await new Promise<void>((resolve) => server.server.listen(0, '127.0.0.1', resolve));
    return server;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}${this.folder}`;
  }

  async stop(): Promise<void> {
    this.server.closeAllConnections();
    await new Promise((resolve) => this.server.close(resolve));
  }
}

function answerModel(response: ServerResponse, text: string, isStream: boolean): void {
  const head = { id: 'chatcmpl-1', created: 1, model: 'gpt-5' };
  if (!isStream) {
    const choices = [{ index: 0, finish_reason: 'stop', message: { role: 'assistant', content: `it is ${text}` } }];
    response.writeHead(200, {
      'content-type': 'application/json',
      'set-cookie': `session=${encodeURIComponent(text)}`,
    });
    response.end(JSON.stringify({ ...head, object: 'chat.completion', choices }));
    return;
  }
  response.writeHead(200, { 'content-type': 'text/event-stream' });
  for (const content of [...`it is ${text}`]) {
    const choices = [{ index: 0, delta: { content }, finish_reason: null }];
    response.write(`data: ${JSON.stringify({ ...head, object: 'chat.completion.chunk', choices })}\n\n`);
  }
  response.end('data: [DONE]\n\n');
}

function answerRequest(response: ServerResponse, text: string, url: string): void {
  const body = JSON.stringify({ note: `it is ${text}`, list: [text] });
  const isPacked = url.startsWith('/packed');
  response.writeHead(200, { 'content-type': 'application/json', ...(isPacked ? { 'content-encoding': 'gzip' } : {}) });
  response.end(isPacked ? gzipSync(body) : body);
}

/** What a server answers, unpacked by the agent itself: the recording holds the packed bytes. */
async function unpacked(url: string): Promise<{ readonly note: string }> {
  const response = await new Promise<IncomingMessage>((resolve, reject) => get(url, resolve).on('error', reject));
  return JSON.parse(gunzipSync(await buffer(response)).toString('utf8')) as { note: string };
}

/** An agent through whose every boundary one text passes: arguments, results, errors, headers, addresses, bodies, chunks. */
export function leakyAgent(text: string, url: string): () => Promise<unknown> {
  const client = instrumentOpenAI(
    new OpenAI({ apiKey: text.replaceAll(/[^\x21-\x7e]/g, ''), baseURL: `${url}/v1`, logLevel: 'off', maxRetries: 0 }),
  );
  const echo = tool('echo', async (note: string) => ({
    note,
    bytes: Buffer.from(note),
    map: new Map([['note', note]]),
  }));
  const fail = tool('fail', async (note: string) => {
    throw new TypeError(`cannot use ${note}`, { cause: new RangeError(note) });
  });
  const stream = tool('stream', async function* (note: string) {
    for (const character of note) yield { delta: character };
  });
  const ask = (kind: string): { model: string; messages: [{ role: 'user'; content: string }] } => ({
    model: 'gpt-5',
    messages: [{ role: 'user', content: `${kind}: ${text}` }],
  });
  return agent('leaky', async () => {
    const seen: unknown[] = [await echo(text), await fail(text).catch((error: Error) => error.message)];
    let streamed = '';
    for await (const { delta } of stream(text)) streamed += delta;
    // The next inputs hold what was received: in a replay its token.
    seen.push(await echo(streamed));
    const answer = await client.chat.completions.create(ask('plain'));
    seen.push(await echo(answer.choices[0]?.message.content ?? ''));
    let said = '';
    const chunks = await client.chat.completions.create(
      { ...ask('stream'), stream: true },
      { headers: { 'x-kind': 'stream' } },
    );
    for await (const chunk of chunks) said += chunk.choices[0]?.delta.content ?? '';
    seen.push(await echo(said));
    const query = `note=${encodeURIComponent(text)}&access_token=${encodeURIComponent(text)}`;
    const headers = { 'x-api-key': encodeURIComponent(text), 'content-type': 'application/json' };
    const sent = await fetch(`${url}/plain?${query}`, { method: 'POST', headers, body: JSON.stringify({ text }) });
    seen.push(await echo(((await sent.json()) as { note: string }).note));
    seen.push(await echo((await unpacked(`${url}/packed`)).note));
    return seen;
  });
}
