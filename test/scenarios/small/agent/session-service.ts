// A service with sessions: whoever logs in is given a cookie, and a token for programs. Neither is the same in another run of it. A page sets a cookie
// without calling anything.
import { randomBytes } from 'node:crypto';
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { tool } from 'reenact';

const answer = tool('answer', async (user: string, said: readonly string[]) => `${user} said ${said.join(', ')}`);

interface Session {
  readonly user: string;
  readonly said: string[];
}

const sessions = new Map<string, Session>();
const visitors = new Map<string, number>();

function secret(): string {
  return randomBytes(18).toString('base64url');
}

function cookieOf({ headers }: IncomingMessage, name: string): string | undefined {
  const found = (headers.cookie ?? '').split('; ').find((pair) => pair.startsWith(`${name}=`));
  return found?.slice(name.length + 1);
}

function sessionOf(request: IncomingMessage): Session | undefined {
  const [, bearer] = (request.headers.authorization ?? '').split(' ');
  return sessions.get(bearer ?? cookieOf(request, 'desk') ?? '');
}

const server = createServer(async (request, response) => {
  const body = await text(request);
  if (request.url === '/page') {
    const visitor = secret();
    visitors.set(visitor, visitors.size + 1);
    response.setHeader('Set-Cookie', [`visitor=${visitor}; Path=/`, 'theme=dark']).end('a page');
    return;
  }
  if (request.url === '/login') {
    const [cookie, token] = [secret(), secret()];
    const session = { user: body, said: [] };
    sessions.set(cookie, session).set(token, session);
    response.writeHead(200, { 'content-type': 'application/json', 'set-cookie': `desk=${cookie}; HttpOnly` });
    response.end(JSON.stringify({ user: body, access_token: token }));
    return;
  }
  const session = sessionOf(request);
  const visitor = visitors.get(cookieOf(request, 'visitor') ?? '') ?? 'nobody';
  if (session === undefined) return void response.writeHead(401).end(`visitor ${visitor}`);
  session.said.push(body);
  response.end(await answer(`${session.user} (${visitor})`, [...session.said]));
});
server.listen(0, '127.0.0.1', () => console.log(JSON.stringify({ port: (server.address() as AddressInfo).port })));
process.once('SIGTERM', () => server.close());
