import { randomUUID } from 'node:crypto';
import { readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import { agent, tool } from 'reenact';

// As an agent beside which a client of product analytics sends what happens, compressed in the thread pool: both draw ids and times.
const search = tool('search', async (query: string) => {
  await pause(Number(query.at(-1)) % 3);
  return `what is known of ${query}`;
});

async function zipped(text: string): Promise<Blob> {
  return new Response(new Blob([text]).stream().pipeThrough(new CompressionStream('gzip'))).blob();
}

async function send(event: string): Promise<void> {
  const uuid = randomUUID();
  const text = JSON.stringify({ uuid, event, at: new Date(), filling: 'which takes a while '.repeat(4_000) });
  const body = event.endsWith('1') ? await promisify(gzip)(text) : await zipped(text);
  const headers = { 'x-sent-at': `${Date.now()}`, 'x-request-id': randomUUID(), 'content-encoding': 'gzip' };
  const response = await fetch(`${process.env.EVENTS_URL}`, { method: 'POST', headers, body });
  await response.text();
}

async function note(number: number): Promise<string> {
  const file = join(tmpdir(), `events-beside-${process.pid}-${number}`);
  await writeFile(file, `${number}`);
  const text = await readFile(file, 'utf8');
  await rm(file);
  return `${text} ${randomUUID()}`;
}

const run = agent('asked', async () => {
  const sending: Promise<void>[] = [];
  const heard: string[] = [];
  for (let turn = 0; turn < 12; turn += 1) {
    sending.push(send(`event ${turn}1`), send(`event ${turn}2`));
    const noting = note(turn).then((noted) => heard.push(noted));
    for (const step of [1, 2, 3]) heard.push(await search(`${randomUUID()} ${Date.now()} ${step}`));
    await noting;
  }
  await Promise.all(sending);
  return heard.join();
});

process.stdout.write(`${await run()}\n`);
