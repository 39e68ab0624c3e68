// A service that keeps in memory what requests have asked for: a token that all use, a price once it is known, each caller's conversation. Requests
// side by side share a call.
import { randomUUID } from 'node:crypto';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { tool } from 'reenact';

const logIn = tool('log_in', async () => randomUUID());
const price = tool('price', async (symbol: string, _token: string) => `${symbol} at ${Math.random()}`);
const reply = tool('reply', async (conversation: readonly string[]) => `${conversation.length}: ${randomUUID()}`);
const rates = tool('rates', async (currencies: readonly string[]) => {
  await sleep(30);
  return Object.fromEntries(currencies.map((currency) => [currency, Math.random()]));
});
const summarise = tool(
  'summarise',
  async (conversation: readonly string[]) => `${conversation.length} turns ${randomUUID()}`,
);

let token: Promise<string> | undefined;
const prices = new Map<string, string>();
const conversations = new Map<string, string[]>();
const summaries = new Map<string, string>();

async function priceOf(symbol: string): Promise<string> {
  token ??= logIn();
  const known = prices.get(symbol) ?? (await price(symbol, await token));
  prices.set(symbol, known);
  return known;
}

/** Requests that come within some milliseconds share one call, which the first of them makes. */
let gathered: { readonly currencies: string[]; readonly answer: Promise<Record<string, number>> } | undefined;
async function rateOf(currency: string): Promise<number | undefined> {
  if (gathered === undefined) {
    const currencies: string[] = [];
    const answer = sleep(15).then(() => {
      gathered = undefined;
      return rates(currencies);
    });
    gathered = { currencies, answer };
  }
  const { currencies, answer } = gathered;
  currencies.push(currency);
  return (await answer)[currency];
}

const server = createServer(async ({ url = '', method }, response) => {
  const [, caller = '', symbol = '', currency] = url.split('/');
  if (caller === 'health') return void response.end('well');
  // Nothing is called for it, and yet a later request finds another memory.
  if (method === 'DELETE') return void response.end(`${conversations.delete(caller)}`);
  const conversation = conversations.get(caller) ?? [];
  conversations.set(caller, conversation);
  const rate = currency === undefined ? '' : await rateOf(currency);
  conversation.push(`${await priceOf(symbol)} ${rate} ${summaries.get(caller)}`);
  conversation.push(await reply([...conversation]));
  response.end(conversation.at(-1));
  // Behind the answer, for the next turn.
  await sleep(20);
  summaries.set(caller, await summarise([...conversation]));
});
server.listen(0, '127.0.0.1', () => console.log(JSON.stringify({ port: (server.address() as AddressInfo).port })));
process.once('SIGTERM', () => server.close());
