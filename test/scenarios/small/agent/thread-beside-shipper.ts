// The run starts a thread that computes, beside one that ships lines by itself, as a logger's does.
import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import { agent, tool } from 'reenact';

const shipper = new Worker(new URL('./shipping-thread.ts', import.meta.url));
await once(shipper, 'message');

const note = tool('note', async (answer: unknown) => typeof answer);
const run = agent('starting', async () => {
  const thread = new Worker(new URL('./answering-thread.ts', import.meta.url));
  thread.postMessage('computing');
  const [answer] = await once(thread, 'message');
  await thread.terminate();
  // The second was sent after the thread had been started, for certain.
  for (let count = 0; count < 2; count += 1) await once(shipper, 'message');
  return note(answer);
});
process.stdout.write(`ended with ${await run()}\n`);
await shipper.terminate();
