import { executionAsyncResource } from 'node:async_hooks';
import { fileURLToPath } from 'node:url';
import { MessagePort, Worker } from 'node:worker_threads';
import { context as contexts } from '@opentelemetry/api';
import { guarded } from '../../host/report-failure.ts';
import type { PatchSet } from '../../patching/patch-set.ts';
import { scopeOf } from '../../run/crossing-scope.ts';
import { isInThread } from '../../run/thread-doings.ts';
import {
  answersOf,
  drawnOrCalledSince,
  noteTransfer,
  startPlaceOf,
  type ThreadProgram,
  threadProgram,
  threadPrograms,
} from '../unseen/asked-threads.ts';
import { connectingCode } from '../unseen/connecting-code.ts';
import { recordConnection } from '../unseen/record-connection.ts';
import { noteShared, watchSharedMemory } from './shared-memory.ts';
import { watchThreadMessages } from './thread-messages.ts';

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

/**
 * Whether it stands in no run for which one a thread is asked here. Code that is given a message has the context in which the port was made, whoever waits. What a
 * timer asks outside of all runs, as one that tells a thread again and again that the event loop is not blocked, nobody waits for.
 */
function isForAny(): boolean {
  const resource: object | undefined = executionAsyncResource();
  if (resource instanceof MessagePort) return true;
  const isOfOpenRun = (scopeOf(contexts.active())?.run.openRoots ?? 0) > 0;
  return !isOfOpenRun && resource?.constructor?.name !== 'Timeout';
}

/** The program of threads of this file; undefined in a thread, whose own count as it does. */
function programOf(
  file: string,
  parameters: readonly unknown[],
  packageName: string | undefined,
): ThreadProgram | undefined {
  if (isInThread) return undefined;
  const program = threadProgram(file, packageName);
  const options = (parameters[1] ?? {}) as { readonly transferList?: unknown; readonly workerData?: unknown };
  if (program === undefined) return undefined;
  noteTransfer(program, options.transferList);
  guarded('noting shared memory', () => noteShared(program, options.workerData), undefined);
  if (isForAny()) program.asksForAny += 1;
  return program;
}

/** Whether a thread that is started so says for itself what it does, as the one here: it loads what that has loaded, and counts where that does. */
function saysForItself(file: string, options: unknown): boolean {
  const { env, execArgv } = (options ?? {}) as { readonly env?: unknown; readonly execArgv?: unknown };
  return isInThread && !isInRun() && file !== CODE_AS_TEXT && env === undefined && execArgv === undefined;
}

/**
 * Notes for the run around the call, or for that of the process, that it starts a thread, and gives the program of that. Code that is given as text runs before the
 * hook does, and may have drawn unseen.
 */
function noteStarted(parameters: readonly unknown[], callee: () => unknown): ThreadProgram | undefined {
  const file = fileOf(parameters);
  if (saysForItself(file, parameters[1])) return undefined;
  const code = connectingCode(callee);
  const packageName = code.type === 'code' ? code.package : undefined;
  const program = programOf(file, parameters, packageName);
  const place = startPlaceOf(file);
  if (code.type === 'code')
    recordConnection((isKnown) => {
      // What the first of them has done counts, too.
      if (isKnown(place)) return undefined;
      const started = { place, package: packageName };
      if (program === undefined || file === CODE_AS_TEXT) return started;
      return { ...(isInRun() ? answersOf(program) : { isLacking: drawnOrCalledSince(program) }), ...started };
    });
  return program;
}

/** Notes for the run around the call that it asks threads which it did not start, and for all that go on where it may be theirs. */
function noteAsked(programs: readonly ThreadProgram[]): void {
  if (isForAny()) for (const program of programs) program.asksForAny += 1;
  if (!isInRun()) return;
  for (const program of programs) {
    recordConnection((isKnown) => (isKnown(`answers of ${program.name}`) ? undefined : answersOf(program)));
  }
}

/**
 * Notes which worker threads agents start, and which others they ask: a thread runs again in a replay, guarded, and what it draws or calls there is in no
 * recording.
 */
export function watchThreads(patches: PatchSet): void {
  const watched = watchThreadMessages(patches, {
    sentTo: (thread, transferred) => {
      const program = askable.get(thread);
      if (program === undefined) return;
      noteTransfer(program, transferred);
      noteAsked([program]);
    },
    sentByPort: () => noteAsked(threadPrograms('port')),
    broadcast: () => noteAsked(threadPrograms()),
  });
  patches.replace<WorkerClass>(process.getBuiltinModule('node:worker_threads'), 'Worker', (original) => {
    const construct = (target: WorkerClass, parameters: unknown[], made: NewableFunction): object => {
      const program = guarded('noting a thread', () => noteStarted(parameters, construct as () => unknown), undefined);
      const start = (): object => watched.starting(() => Reflect.construct(target, parameters, made) as object);
      if (program === undefined) return start();
      const thread = program.doings.during(start);
      askable.set(thread, program);
      return thread;
    };
    return new Proxy(original, { construct });
  });
  patches.replace(Worker.prototype, 'constructor', () => process.getBuiltinModule('node:worker_threads').Worker);
  watchSharedMemory(patches);
  patches.publish();
}
