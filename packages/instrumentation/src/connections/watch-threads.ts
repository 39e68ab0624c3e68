import { basename } from 'node:path';
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
  const program = threadProgram(`thread ${file === CODE_AS_TEXT ? file : basename(file)}`, packageName);
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
  if (code.type === 'code')
    recordConnection(() => ({ ...(isSeen && answersOf(program)), place: `thread ${file}`, package: packageName }));
  return program;
}

/** Notes for the run around the call that it asks threads which it did not start. */
function noteAsked(programs: readonly ThreadProgram[]): void {
  if (!isInRun()) return;
  for (const program of programs) {
    recordConnection((isKnown) => (isKnown(`answers of ${program.name}`) ? undefined : answersOf(program)));
  }
}

/** Has `asking` told of each message that is sent by a method of this name, before it is. */
function watchMessages(patches: PatchSet, owner: object, asking: (self: object, transferred: unknown) => void): void {
  patches.replace<AnyFunction>(owner, 'postMessage', (original) => {
    const postMessage: AnyFunction = function (this: unknown, ...parameters) {
      guarded('noting what a thread is asked', () => asking(this as object, parameters[1]), undefined);
      return Reflect.apply(original, this, parameters);
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
      const start = (): object => Reflect.construct(target, parameters, made) as object;
      if (program === undefined) return start();
      const thread = program.doings.during(start);
      askable.set(thread, program);
      return thread;
    };
    return new Proxy(original, { construct });
  });
  watchMessages(patches, threads.Worker.prototype, (thread, transferred) => {
    const program = askable.get(thread);
    if (program === undefined) return;
    noteTransfer(program, transferred);
    noteAsked([program]);
  });
  watchMessages(patches, MessagePort.prototype, () => noteAsked(threadPrograms('port')));
  watchMessages(patches, threads.BroadcastChannel.prototype, () => noteAsked(threadPrograms()));
  patches.publish();
}
