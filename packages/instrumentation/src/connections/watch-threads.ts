import { fileURLToPath } from 'node:url';
import { MessagePort } from 'node:worker_threads';
import { context as contexts } from '@opentelemetry/api';
import { guarded } from '../host/report-failure.ts';
import { type AnyFunction, disguised, type PatchSet } from '../patching/patch-set.ts';
import { scopeOf } from '../run/crossing-scope.ts';
import { isInThread } from '../run/thread-doings.ts';
import { answersOf, noteTransfer, type ThreadProgram, threadProgram, threadPrograms } from './asked-threads.ts';
import { connectingCode } from './connecting-code.ts';
import { recordConnection } from './record-connection.ts';
import { noteThreadPorts, receiverOf } from './thread-ports.ts';

type WorkerClass = new (...parameters: unknown[]) => object;

const CODE_AS_TEXT = 'of code given as text';

/** The file of a thread, or that its code was given as text. */
function fileOf(parameters: readonly unknown[]): string {
  const [program, options] = parameters;
  if ((options as { readonly eval?: unknown } | undefined)?.eval === true) return CODE_AS_TEXT;
  return program instanceof URL && program.protocol === 'file:' ? fileURLToPath(program) : String(program);
}

/** What the threads of this process run. */
const askable = new WeakMap<object, ThreadProgram>();

function isInRun(): boolean {
  return scopeOf(contexts.active()) !== undefined;
}

/** The program of threads of this file; undefined in a thread, whose own count as it does. */
function programOf(
  file: string,
  parameters: readonly unknown[],
  packageName: string | undefined,
): ThreadProgram | undefined {
  if (isInThread) return undefined;
  const program = threadProgram(file, packageName);
  const { transferList } = (parameters[1] ?? {}) as { readonly transferList?: unknown };
  if (program !== undefined) noteTransfer(program, transferList);
  return program;
}

/**
 * Notes for the run around the call that it starts a thread, and gives the program of that. Code that is given as text runs before the hook does, and may
 * have drawn unseen.
 */
function noteStarted(parameters: readonly unknown[], callee: () => unknown): ThreadProgram | undefined {
  const code = connectingCode(callee);
  const packageName = code.type === 'code' ? code.package : undefined;
  const file = fileOf(parameters);
  const program = programOf(file, parameters, packageName);
  const isSeen = program !== undefined && isInRun() && file !== CODE_AS_TEXT;
  const place = `thread ${file}`;
  if (code.type === 'code')
    recordConnection((isKnown) => {
      // What the first of them has done counts, too.
      if (isKnown(place)) return undefined;
      return { ...(isSeen && answersOf(program)), place, package: packageName };
    });
  return program;
}

/** Notes for the run around the call that it asks threads which it did not start. */
function noteAsked(programs: readonly ThreadProgram[]): void {
  if (!isInRun()) return;
  for (const program of programs) {
    recordConnection((isKnown) => (isKnown(`answers of ${program.name}`) ? undefined : answersOf(program)));
  }
}

/** Whether a message is sent to a thread, or one started, which the platform does by a port: which thread it is for has been told then. */
let isToThread = false;

function toThread<Sent>(send: () => Sent): Sent {
  const before = isToThread;
  isToThread = true;
  try {
    return send();
  } finally {
    isToThread = before;
  }
}

/** Has `asking` told of each message that is sent by a method of this name, before it is. */
function watchMessages(
  patches: PatchSet,
  owner: object,
  asking: (self: object, parameters: readonly unknown[]) => void,
): void {
  patches.replace<AnyFunction>(owner, 'postMessage', (original) => {
    const postMessage: AnyFunction = function (this: unknown, ...parameters) {
      guarded('noting what a thread is asked', () => asking(this as object, parameters), undefined);
      return toThread(() => Reflect.apply(original, this, parameters));
    };
    return disguised(postMessage, original);
  });
}

/**
 * Notes which worker threads agents start, and which others they ask: a thread runs again in a replay, guarded, and what it draws or calls there is in no
 * recording.
 */
export function watchThreads(patches: PatchSet): void {
  const threads = process.getBuiltinModule('node:worker_threads');
  patches.replace<WorkerClass>(threads, 'Worker', (original) => {
    const construct = (target: WorkerClass, parameters: unknown[], made: NewableFunction): object => {
      const program = guarded('noting a thread', () => noteStarted(parameters, construct as () => unknown), undefined);
      const start = (): object => toThread(() => Reflect.construct(target, parameters, made) as object);
      if (program === undefined) return start();
      const thread = program.doings.during(start);
      askable.set(thread, program);
      noteThreadPorts(thread);
      return thread;
    };
    return new Proxy(original, { construct });
  });
  const noteAskedOf = (thread: object, transferred: unknown): void => {
    const program = askable.get(thread);
    if (program === undefined) return;
    noteTransfer(program, transferred);
    noteAsked([program]);
  };
  watchMessages(patches, threads.Worker.prototype, (thread, [, transferred]) => noteAskedOf(thread, transferred));
  watchMessages(patches, MessagePort.prototype, (port, [message, transferred]) => {
    const receiver = isToThread ? 'none' : receiverOf(port, message);
    if (receiver === 'any') noteAsked(threadPrograms('port'));
    else if (receiver !== 'none') noteAskedOf(receiver.thread, transferred);
  });
  watchMessages(patches, threads.BroadcastChannel.prototype, () => noteAsked(threadPrograms()));
  patches.publish();
}
