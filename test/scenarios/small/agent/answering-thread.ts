// The thread of asked-thread.ts: answers what it is asked, whichever way, and with `CALLS_EARLY` in its environment calls before anybody asks.
import { once } from 'node:events';
import { type MessagePort, parentPort, Worker } from 'node:worker_threads';

const address = process.env.CALLED_ADDRESS;

async function call(): Promise<number> {
  return (await fetch(String(address), { method: 'POST', body: '{}' })).status;
}

/** Has another thread answer. */
async function askFurther(question: string): Promise<unknown> {
  const other = new Worker(new URL(import.meta.url));
  const answered = once(other, 'message');
  other.postMessage(question);
  const [given] = await answered;
  await other.terminate();
  return given;
}

const answers: Readonly<Record<string, () => unknown>> = {
  computing: () => 6 * 7,
  number: () => [process.pid, process.ppid, process.kill(process.pid, 0)],
  clock: () => Date.now(),
  chance: () => Math.random(),
  calling: call,
  'computing-further': () => askFurther('computing'),
  'number-further': () => askFurther('number'),
  'chance-further': () => askFurther('chance'),
};

async function answer(question: string): Promise<void> {
  parentPort?.postMessage(await answers[question]?.());
}

// As one that ships logs, which goes on where nobody takes them; or as one that cannot do without.
if (process.env.CALLS_EARLY === 'caring-not') await call().catch(() => undefined);
else if (process.env.CALLS_EARLY === 'needing-it') await call();
new BroadcastChannel('questions').onmessage = ({ data }) => void answer(data);
parentPort?.on('message', (message: string | MessagePort) => {
  if (typeof message === 'string') {
    void answer(message);
    return;
  }
  message.on('message', (question: string) => void answer(question));
  parentPort?.postMessage('ready');
});
