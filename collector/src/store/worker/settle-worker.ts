import { type MessagePort, parentPort, workerData } from 'node:worker_threads';
import type { AnswerMessage, CallMessage } from '../../threads/thread-messages.ts';
import { systemDisk } from '../files/disk.ts';
import { mayGoOn } from '../idle-time.ts';
import { copyBackIndexLog, openIndexForReading } from '../index/open-index.ts';
import { Settler } from '../pack/settler.ts';
import type { SettlerCalls, SettlerData } from './calls.ts';
import { sendError } from './send-error.ts';

const { dataDirectory, memoryShare, idleMemory } = workerData as SettlerData;
const port = parentPort as MessagePort;

/** Reading, compressing and checking take a whole thread of their own, so that appends never wait for them. */
function serve(settler: Settler, { type, ask }: CallMessage): unknown {
  switch (type as keyof SettlerCalls) {
    case 'settle':
      return settler.settle(ask as SettlerCalls['settle']['ask']);
    case 'settleIdly':
      return settler.settle(ask as SettlerCalls['settleIdly']['ask'], () => mayGoOn(idleMemory)) ?? null;
    case 'copyBack':
      copyBackIndexLog(dataDirectory);
      return null;
    case 'close':
      return null;
  }
}

try {
  const database = openIndexForReading(dataDirectory, memoryShare);
  const settler = new Settler(database, systemDisk, dataDirectory, memoryShare);
  port.on('message', (message: CallMessage) => {
    try {
      port.postMessage({ id: message.id, answer: serve(settler, message) } satisfies AnswerMessage);
    } catch (thrown) {
      port.postMessage({ id: message.id, error: sendError(thrown, dataDirectory) } satisfies AnswerMessage);
    }
    if (message.type !== 'close') return;
    database.close();
    port.close();
  });
  port.postMessage({ id: 0 } satisfies AnswerMessage);
} catch (thrown) {
  port.postMessage({ id: 0, error: sendError(thrown, dataDirectory) } satisfies AnswerMessage);
  port.close();
}
