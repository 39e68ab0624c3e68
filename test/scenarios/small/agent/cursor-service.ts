// A service that asks again and again for what is new since the last answer; each request works with what was heard last.
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tool } from 'reenact';

const answer = tool('answer', async (question: string) => `${question}: ${Math.random()}`);

let heard = { cursor: 0, price: 0 };

async function hear(): Promise<void> {
  const response = await fetch(`${process.env.CALLED_ADDRESS}?since=${heard.cursor}`);
  heard = (await response.json()) as typeof heard;
}

await hear();
setInterval(hear, 300).unref();

const server = createServer(async ({ url = '' }, response) => {
  response.end(await answer(`${url} at ${heard.price}`));
});
server.listen(0, '127.0.0.1', () => console.log(JSON.stringify({ port: (server.address() as AddressInfo).port })));
process.once('SIGTERM', () => server.close());
