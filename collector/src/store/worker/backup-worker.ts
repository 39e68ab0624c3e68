import { type MessagePort, parentPort, workerData } from 'node:worker_threads';
import type { AnswerMessage, CallMessage } from '../../threads/thread-messages.ts';
import type { ThreadAccess } from '../store.ts';
import { isFullDisk } from '../store-error.ts';
import { toBackupError } from '../to-backup-error.ts';
import type { BackupCalls } from './calls.ts';
import { copyDirectory } from './copy-directory.ts';
import { sendError } from './send-error.ts';

const access = workerData as ThreadAccess;
const port = parentPort as MessagePort;

port.on('message', ({ id, ask }: CallMessage) => {
  const { target, keepsText } = ask as BackupCalls['copy']['ask'];
  try {
    copyDirectory(access, target, keepsText);
    port.postMessage({ id, answer: null } satisfies AnswerMessage);
  } catch (thrown) {
    const where = target.replace(/\.part$/, '');
    const error = sendError(toBackupError(thrown, where, isFullDisk(thrown)), where);
    port.postMessage({ id, error } satisfies AnswerMessage);
  }
});
port.postMessage({ id: 0 } satisfies AnswerMessage);
