// The other end of answers-in-order.ts: answers each question after as many milliseconds as that says, and says something by itself where it was started with a time.
import { isMainThread, type MessagePort, parentPort, workerData } from 'node:worker_threads';

const pause = (afterMs: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, afterMs));

if (isMainThread) {
  const { tool } = await import('reenact');
  const listen = tool('listen', async (afterMs: number) => pause(afterMs), { effect: 'read' });
  await listen(Number(process.argv[2]));
  process.send?.('said by a process');
} else if (typeof workerData === 'number') {
  await pause(workerData);
  parentPort?.postMessage('said by a thread');
} else {
  parentPort?.on('message', (port: MessagePort) => {
    port.on('message', async (question: number) => {
      await pause(question);
      port.postMessage(`answered after ${question}`);
    });
  });
}
