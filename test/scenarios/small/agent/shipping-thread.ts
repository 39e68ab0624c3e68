// The thread of thread-beside-shipper.ts: sends something again and again, whether anybody takes it or not, and says so each time.
import { setTimeout } from 'node:timers/promises';
import { parentPort } from 'node:worker_threads';

for (;;) {
  await fetch(String(process.env.CALLED_ADDRESS), { method: 'POST', body: '{}' }).catch(() => undefined);
  parentPort?.postMessage('shipped');
  await setTimeout(1);
}
