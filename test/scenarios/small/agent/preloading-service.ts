// Listens at once, and loads what answers piece by piece behind that, as Next.js loads its routes. What is asked before has it loaded at once. Each piece reads the clock.
import { readFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

import { tool } from 'reenact';

const PIECES = 30;
const PIECE_STEPS = 20_000_000;
let loaded = 0;
// As frameworks do when they start.
const startedMs = Date.now();

function load(): void {
  const began = Date.now();
  let sum = 0;
  for (let step = 0; step < PIECE_STEPS; step += 1) sum += step % 7;
  loaded += began > 0 && sum > 0 ? 1 : 0;
}

const answer = tool('answer', async (question: string) => `${question}!`);
const server = createServer(async ({ url = '' }, response) => {
  if (url === '/ready') {
    response.end(String(loaded === PIECES));
    return;
  }
  while (loaded < PIECES) load();
  response.end(JSON.stringify({ answer: await answer(url), isUp: startedMs > 0, at: Date.now() }));
});
server.listen(0, '127.0.0.1', async () => {
  console.log(JSON.stringify({ port: (server.address() as AddressInfo).port }));
  while (loaded < PIECES) {
    load();
    await readFile(import.meta.filename);
  }
});
process.once('SIGTERM', () => server.close());
