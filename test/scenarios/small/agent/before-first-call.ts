// A script without an agent: what its compression, its timer and its threads come to before its first call comes in the order in which it came, so that whoever
// draws then draws the same.
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { setTimeout as pause } from 'node:timers/promises';
import { promisify } from 'node:util';
import { Worker } from 'node:worker_threads';
import { gzip } from 'node:zlib';
import { tool } from 'reenact';

const compress = promisify(gzip);
const speaker = new URL('./late-speaker.ts', import.meta.url);
const order: string[] = [];
const heard = (what: string) => (): void => void order.push(`${what} ${randomUUID()}`);
const speaks = (afterMs: number) => once(new Worker(speaker, { workerData: afterMs }), 'message');

await Promise.all([
  compress(Buffer.alloc(20_000_000, 'what takes longer')).then(heard('long')),
  compress('what is over at once').then(heard('short')),
  speaks(400).then(heard('late thread')),
  speaks(50).then(heard('early thread')),
  pause(200).then(heard('timer')),
]);
const note = tool('note', async (heardFirst: readonly string[]) => heardFirst.length);
process.stdout.write(`ended with ${await note(order)}\n`);
process.exit(0);
