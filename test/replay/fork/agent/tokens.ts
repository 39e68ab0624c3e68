// Draws random bytes in the thread pool beside a compressor: a recording of it replays only if it holds them, and each once.
import { randomBytes, randomFill } from 'node:crypto';
import { buffer } from 'node:stream/consumers';
import { promisify } from 'node:util';
import { createGzip } from 'node:zlib';
import { agent, tool } from 'reenact';

const check = tool('check', async (token: string) => `${token} is known`, { effect: 'read' });

async function zipped(...texts: string[]): Promise<number> {
  const zip = createGzip();
  const all = buffer(zip);
  for (const text of texts) await promisify((part: string, done: () => void) => zip.write(part, done))(text);
  zip.end();
  return (await all).length;
}

const tokens = agent('tokens', async () => {
  const said: string[] = [];
  for (let turn = 0; turn < 3; turn += 1) {
    const token = await promisify(randomBytes)(8);
    const filled = Buffer.alloc(8);
    await promisify(randomFill<Buffer>)(filled);
    const hex = [token, filled].map((bytes) => bytes.toString('hex')).join();
    said.push(await check(hex), `${(await zipped('one', 'two', 'three')) > 20}`);
  }
  return said.join();
});

console.log(await tokens());
