// Looks at each line of what is uploaded as it comes, and says how many there were; HTTP=2 speaks HTTP/2.
import { createServer } from 'node:http';
import { createServer as createHttp2Server } from 'node:http2';
import type { AddressInfo } from 'node:net';
import type { Readable } from 'node:stream';
import { tool } from 'reenact';

const lookAt = tool('look_at', async (line: string): Promise<number> => line.length);
const saved = tool('save', async (what: string): Promise<string> => what);

/** What the answers of both versions have. */
interface Answer {
  once(event: 'close', listener: () => void): unknown;
  end(text: string): unknown;
}

function take(request: Readable, response: Answer): void {
  const lengths: Promise<number>[] = [];
  let isWhole = false;
  request.setEncoding('utf8').on('error', () => undefined);
  request.on('data', (text: string) => lengths.push(...text.trim().split('\n').map(lookAt)));
  request.on('end', async () => {
    isWhole = true;
    response.end(await saved(`all ${(await Promise.all(lengths)).length}`));
  });
  response.once('close', async () => {
    if (!isWhole) await saved(`left after ${(await Promise.all(lengths)).length}`);
  });
}

const server = process.env.HTTP === '2' ? createHttp2Server(take) : createServer(take);
server.listen(0, '127.0.0.1', () => console.log(JSON.stringify({ port: (server.address() as AddressInfo).port })));
process.once('SIGTERM', () => process.exit());
