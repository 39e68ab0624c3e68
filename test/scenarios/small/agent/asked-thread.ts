// A thread that was started before the run is asked inside it, as those of pools are. What it answers with is named on the command line,
// another file of the thread in `THREAD_FILE`.
import { once } from 'node:events';
import { MessageChannel, type MessagePort, Worker } from 'node:worker_threads';
import { agent, tool } from 'reenact';

const [answeredWith = 'computing', by = 'worker'] = process.argv.slice(2);
const thread = new Worker(process.env.THREAD_FILE ?? new URL('./answering-thread.ts', import.meta.url));
const { port1: near, port2: far } = new MessageChannel();
const broadcast = new BroadcastChannel('questions');
near.unref();
thread.postMessage(far, [far]);
await once(thread, 'message');

const asked: Readonly<Record<string, () => void>> = {
  worker: () => thread.postMessage(answeredWith),
  port: () => (near as MessagePort).postMessage(answeredWith),
  broadcast: () => broadcast.postMessage(answeredWith),
  another: () => {
    const other = new Worker(new URL('./answering-thread.ts', import.meta.url));
    other.postMessage(answeredWith);
    other.once('message', (answer) => thread.emit('message', answer));
    other.unref();
  },
  nobody: () => thread.emit('message', 'nothing'),
};

const note = tool('note', async (answer: unknown) => typeof answer);
const run = agent('asking', async () => {
  const heard = once(thread, 'message');
  asked[by]?.();
  const [answer] = await heard;
  return note(answer);
});
process.stdout.write(`ended with ${await run()}\n`);
broadcast.close();
await thread.terminate();
