// Streams an answer and does not notice that whoever asked has left; HTTP=2 speaks HTTP/2.
import { createServer } from 'node:http';
import { createServer as createHttp2Server } from 'node:http2';
import type { AddressInfo } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import { tool } from 'reenact';

const nextWord = tool('next_word', async (place: number): Promise<string> => {
  await pause(40);
  return `word ${place}`;
});
const saved = tool('save', async (words: number): Promise<number> => words);

/** What the answers of both versions have. */
interface Answer {
  writeHead(status: number, headers: Readonly<Record<string, string>>): unknown;
  once(event: 'close', listener: () => void): unknown;
  write(text: string): unknown;
  end(): unknown;
}

async function answer(response: Answer): Promise<void> {
  response.writeHead(200, { 'content-type': 'text/event-stream' });
  let left = 0;
  response.once('close', () => {
    left += 1;
  });
  let words = 0;
  for (let place = 0; place < 20 && left === 0; place++) {
    const word = await nextWord(place);
    await pause(5);
    response.write(`data: ${word}\n\n`);
    words += 1;
  }
  await saved(words);
  response.end();
}

const handle = (_request: unknown, response: Answer): void => {
  void answer(response);
};
const server = process.env.HTTP === '2' ? createHttp2Server(handle) : createServer(handle);
server.listen(0, '127.0.0.1', () => console.log(JSON.stringify({ port: (server.address() as AddressInfo).port })));
process.once('SIGTERM', () => process.exit());
