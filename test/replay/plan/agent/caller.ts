// Asks one server twice, through both of the platform's clients, and prints what came back.
import { request } from 'node:http';
import { gunzipSync } from 'node:zlib';
import { agent, tool } from 'reenact';

const url = process.env.PRICES_URL ?? '';

async function byFetch(path: string): Promise<string> {
  try {
    const response = await fetch(`${url}${path}`);
    return `${response.status} ${await response.text()}`;
  } catch (error) {
    return `${(error as Error).message}: ${((error as Error).cause as { code?: string } | undefined)?.code ?? 'no code'}`;
  }
}

function byRequest(path: string): Promise<string> {
  return new Promise((resolve) => {
    const sent = request(`${url}${path}`, async (response) => {
      const parts: Buffer[] = [];
      for await (const part of response) parts.push(part as Buffer);
      const body = Buffer.concat(parts);
      const text = response.headers['content-encoding'] === 'gzip' ? gunzipSync(body) : body;
      resolve(`${response.statusCode} ${text.toString('utf8')}`);
    });
    sent.on('error', (error: Error & { code?: string }) => resolve(`failed: ${error.code ?? error.message}`));
    sent.end();
  });
}

const note = tool('note', async (_seen: readonly string[]) => 'noted', { effect: 'read' });

const caller = agent('caller', async () => {
  const seen = [await byFetch('/fetched'), await byRequest('/requested')];
  await note(seen);
  return seen;
});

console.log(JSON.stringify(await caller()));
