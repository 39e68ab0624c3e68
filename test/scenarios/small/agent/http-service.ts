// An agent behind HTTP: no agent wrapper, the request is the run. It ends when it is asked to.
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import OpenAI from 'openai';
import { tool } from 'reenact';

const openai = new OpenAI();
const getQuote = tool('get_quote', async (symbol: string): Promise<number> => {
  const response = await fetch(`${process.env.QUOTES_URL}/quotes/${symbol}`);
  const { price } = (await response.json()) as { price: number };
  return price;
});

async function answer(question: string): Promise<object> {
  const { symbol } = JSON.parse(question) as { symbol: string };
  const price = await getQuote(symbol);
  const advice = await openai.chat.completions.create({
    model: 'gpt-5-mini',
    messages: [{ role: 'user', content: `${symbol} costs ${price}` }],
  });
  return { advice: `${process.env.GREETING ?? 'Hello.'} ${advice.choices[0]?.message.content}`, price };
}

/** As frameworks refuse what a page of another origin sends. */
function isOfOtherOrigin({ headers }: IncomingMessage): boolean {
  return headers.origin !== undefined && new URL(headers.origin).host !== headers.host;
}

const server = createServer((request, response) => {
  if (isOfOtherOrigin(request)) {
    response.writeHead(403).end();
    return;
  }
  if (request.headers.authorization !== `Bearer ${process.env.SERVICE_TOKEN}`) {
    response.writeHead(401).end();
    return;
  }
  text(request)
    .then(answer)
    .then((body) => response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(body)))
    .catch((error: unknown) => response.writeHead(500, { 'content-type': 'text/plain' }).end(String(error)));
});
server.listen(0, '127.0.0.1', () => console.log(JSON.stringify({ port: (server.address() as AddressInfo).port })));
process.once('SIGTERM', () => server.close());
