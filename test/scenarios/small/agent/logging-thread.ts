import { Worker } from 'node:worker_threads';
import pino from 'pino';
import { agent, tool } from 'reenact';

// A logger that writes in a thread of its own, as most are set up, and a thread that computes for longer than the agent would wait in virtual time.
const log = pino({ transport: { target: 'pino/file', options: { destination: 2 } } });
const computing = `
  const { parentPort, workerData } = require('node:worker_threads');
  const endMs = Date.now() + 1_000;
  while (Date.now() < endMs);
  parentPort.postMessage(workerData * 2);
`;

function computed(value: number): Promise<number> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => reject(new Error('It took too long.')), 60_000);
    new Worker(computing, { eval: true, workerData: value }).once('error', reject).once('message', (result) => {
      clearTimeout(timer);
      resolve(result);
    });
  });
}

const count = tool('count', async (text: string) => text.length);
const run = agent('logger', async (text: string) => {
  log.info('begins');
  const result = await computed(await count(text));
  log.info({ result }, 'has counted');
  return (await count(`${result}`)) + result;
});
process.stdout.write(`ended with ${await run('four')}\n`);
