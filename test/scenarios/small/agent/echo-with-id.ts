// Works on several questions at a time, and answers each with the id that it came with.
import { parentPort } from 'node:worker_threads';

parentPort?.on('message', ({ id, question }: { id: number; question: number }) => {
  setTimeout(() => parentPort?.postMessage({ id, answer: `answer to ${question}` }), question);
});
