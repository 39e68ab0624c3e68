// A service whose process ends in the middle of a request: by an error of it, or for want of memory, as far as anybody outside sees.
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { tool } from 'reenact';

const look = tool('look', async (what: string) => `${what} is looked up`, { effect: 'read' });

const crashes: Record<string, () => void> = {
  '/throws': () => {
    setTimeout(() => {
      throw new TypeError('no such page');
    }, 10);
  },
  '/later': () => {
    setTimeout(() => {
      throw new RangeError('not saved');
    }, 350);
  },
  '/killed': () => void setTimeout(() => process.kill(process.pid, 'SIGKILL'), 100),
};

const server = createServer(async ({ url = '/' }, response) => {
  const page = await look(url);
  if (process.env.CRASHES === '1') crashes[url]?.();
  await sleep(300);
  response.end(`${page}, ${await look('footer')}`);
});
server.listen(0, '127.0.0.1', () => console.log(JSON.stringify({ port: (server.address() as AddressInfo).port })));
