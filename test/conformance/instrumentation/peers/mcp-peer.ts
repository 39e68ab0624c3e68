import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import type { ServerResponse } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Peer } from '../fidelity-library.ts';
import { HttpPeer, type PeerRequest } from './http-peer.ts';
import { type McpAnswer, McpAnswers, type McpMessage } from './mcp-answers.ts';
import { ReverseOrder } from './reverse-order.ts';

const program = fileURLToPath(new URL('serve-mcp.ts', import.meta.url));

/** A server that each client starts for itself. Its address is the JSON of what the stdio transport is made with. */
export async function startStdioMcpPeer(): Promise<Peer> {
  const folder = mkdtempSync(join(tmpdir(), 'reenact-fidelity-'));
  const contactsPath = join(folder, 'contacts.txt');
  return {
    address: JSON.stringify({ command: process.execPath, args: ['--no-warnings', program, contactsPath] }),
    get contacts() {
      try {
        return readFileSync(contactsPath, 'utf8').split('\n').length - 1;
      } catch {
        return 0;
      }
    },
    stop: async () => rmSync(folder, { recursive: true }),
  };
}

function writeEvent(response: ServerResponse, message: object): void {
  if (!response.headersSent) response.writeHead(200, { 'content-type': 'text/event-stream' });
  response.write(`event: message\ndata: ${JSON.stringify({ jsonrpc: '2.0', ...message })}\n\n`);
}

function giveAnswer(response: ServerResponse, id: McpMessage['id'], answer: McpAnswer): unknown {
  const head = { jsonrpc: '2.0', id };
  switch (answer.type) {
    case 'result':
      // As events, which is how most servers answer.
      writeEvent(response, { ...head, result: answer.result });
      return response.end();
    case 'error': {
      const { code, message, data } = answer;
      const body = JSON.stringify({ ...head, error: { code, message, data } });
      return response.writeHead(200, { 'content-type': 'application/json' }).end(body);
    }
    case 'limit':
      return response.writeHead(429, { 'retry-after': '0' }).end('slow down');
    case 'break':
      response.writeHead(200, { 'content-type': 'application/json' }).write('{"jsonrpc":"2.0","res');
      return setImmediate(() => response.destroy());
    case 'nothing':
      return undefined;
  }
}

/** The sessions of an HTTP server, and which of them have asked for the stream of what the server says by itself. */
class Sessions {
  private count = 0;
  private readonly listening = new Map<string, PromiseWithResolvers<void>>();

  begin(): string {
    this.count += 1;
    return `session-${this.count}`;
  }

  /**
   * A client asks for that stream beside its first request and waits for neither. No request is answered before it has asked,
   * so that nothing it sends in one run arrives in the next.
   */
  asked(session: string): PromiseWithResolvers<void> {
    const known = this.listening.get(session) ?? Promise.withResolvers<void>();
    this.listening.set(session, known);
    return known;
  }
}

/** A server over streamable HTTP. */
export function startHttpMcpPeer(): Promise<Peer> {
  const answers = new McpAnswers();
  const sessions = new Sessions();
  const reverse = new ReverseOrder(3);
  return HttpPeer.start(async (response, { method, headers, body }: PeerRequest) => {
    const session = String(headers['mcp-session-id']);
    if (method !== 'POST') {
      sessions.asked(session).resolve();
      return response.writeHead(method === 'GET' ? 405 : 200).end();
    }
    const message = JSON.parse(body) as McpMessage;
    if (message.id === undefined || message.method === undefined) {
      if (message.id === undefined) answers.notified(message);
      else answers.answered(message);
      return response.writeHead(202).end();
    }
    if (message.method === 'initialize') response.setHeader('mcp-session-id', sessions.begin());
    else await sessions.asked(session).promise;
    const say = (said: object): void => writeEvent(response, said);
    const give = async (): Promise<unknown> => giveAnswer(response, message.id, await answers.answer(message, say));
    return message.params?.name === 'held' ? reverse.add(response, give) : give();
  });
}
