import { type MessagePort, parentPort, receiveMessageOnPort, workerData } from 'node:worker_threads';
import { freeMemory } from '../../memory/free-memory.ts';
import type { AnswerMessage, CallMessage } from '../../threads/thread-messages.ts';
import { UnusedBytes } from '../files/blank-unused.ts';
import { systemDisk } from '../files/disk.ts';
import { searchPathOf } from '../search/open-search-file.ts';
import { SearchFile } from '../search/search-file.ts';
import type { ThreadAccess } from '../store.ts';
import type { TextCalls } from './calls.ts';
import { sendError } from './send-error.ts';

type Ask<Name extends keyof TextCalls> = TextCalls[Name]['ask'];

const { dataDirectory, memoryShare } = workerData as ThreadAccess;
const port = parentPort as MessagePort;

function serve(file: SearchFile, unused: UnusedBytes, { type, ask }: CallMessage): unknown {
  switch (type as Exclude<keyof TextCalls, 'keep'>) {
    case 'forget':
      return file.forget(ask as Ask<'forget'>);
    case 'tidy':
      return file.tidy((ask as Ask<'tidy'>).isFull) ?? null;
    case 'scrub':
      return unused.blank((ask as Ask<'scrub'>).end);
    case 'isWorthCompacting':
      return file.isWorthCompacting();
    case 'compact':
      return file.compact((ask as Ask<'compact'>).isBegun);
    case 'close':
      file.close();
      return unused.close() ?? null;
  }
}

/** The memory of the texts is this thread's own: it was moved here. */
function keep(file: SearchFile, calls: readonly CallMessage[]): number {
  const runs = calls.flatMap(({ ask }) => ask as Ask<'keep'>);
  try {
    return file.keep(runs);
  } finally {
    for (const { texts } of runs)
      for (const bytes of texts === undefined ? [] : [texts.kept, texts.words]) freeMemory(bytes);
  }
}

function answer(calls: readonly CallMessage[], work: () => unknown): void {
  try {
    const result = work();
    for (const { id } of calls) port.postMessage({ id, answer: result } satisfies AnswerMessage);
  } catch (thrown) {
    const error = sendError(thrown, dataDirectory);
    for (const { id } of calls) port.postMessage({ id, error } satisfies AnswerMessage);
  }
}

/** The larger a transaction, the less is merged later: what waits to be kept is kept together. */
function work(file: SearchFile, unused: UnusedBytes, first: CallMessage): void {
  const calls = [first];
  for (let next = receiveMessageOnPort(port); next !== undefined; next = receiveMessageOnPort(port)) {
    calls.push(next.message as CallMessage);
  }
  while (calls.length > 0) {
    const end = calls.findIndex(({ type }) => type !== 'keep');
    const together = calls.splice(0, end === -1 ? calls.length : Math.max(end, 1));
    const [call] = together;
    if (call?.type === 'keep') answer(together, () => keep(file, together));
    else if (call !== undefined) answer(together, () => serve(file, unused, call));
  }
}

try {
  const file = new SearchFile(dataDirectory, memoryShare);
  const unused = new UnusedBytes(file.database, systemDisk, searchPathOf(dataDirectory));
  port.on('message', (message: CallMessage) => {
    work(file, unused, message);
    if (!file.database.isOpen) port.close();
  });
  port.postMessage({ id: 0 } satisfies AnswerMessage);
} catch (thrown) {
  port.postMessage({ id: 0, error: sendError(thrown, dataDirectory) } satisfies AnswerMessage);
  port.close();
}
