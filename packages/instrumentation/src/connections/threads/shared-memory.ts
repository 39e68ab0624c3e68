import { context as contexts } from '@opentelemetry/api';
import { guarded } from '../../host/report-failure.ts';
import { type AnyFunction, disguised, type PatchSet } from '../../patching/patch-set.ts';
import { scopeOf } from '../../run/crossing-scope.ts';
import { answersOf, type DoneByThreads, doneBy, type ThreadProgram } from '../unseen/asked-threads.ts';
import { connectingCode } from '../unseen/connecting-code.ts';
import { recordConnection } from '../unseen/record-connection.ts';

/** Loggers whose threads take lines out of memory: what they wait for is that there is room. */
const LOGGERS: ReadonlySet<string | undefined> = new Set(['thread-stream']);

/** How deep memory may stand in what a thread is given. */
const DEPTH_MAX = 3;

/** Whose threads share a memory, and what those had done when they were told last that there is something in it. */
interface SharedMemory {
  readonly program: ThreadProgram;
  done: DoneByThreads;
}

const memories = new WeakMap<SharedArrayBuffer, SharedMemory>();

function bufferOf(view: unknown): SharedArrayBuffer | undefined {
  const buffer: unknown = ArrayBuffer.isView(view) ? view.buffer : view;
  return buffer instanceof SharedArrayBuffer ? buffer : undefined;
}

/** Notes what memory the threads of a program share that are given this. */
export function noteShared(program: ThreadProgram, given: unknown): void {
  noteSharedIn(program, given, DEPTH_MAX, new Set());
}

/** What stands in several places is looked at once, as a copy for a thread is made. */
function noteSharedIn(program: ThreadProgram, given: unknown, depth: number, seen: Set<unknown>): void {
  const buffer = bufferOf(given);
  if (buffer !== undefined) memories.set(buffer, { program, done: doneBy(program) });
  if (buffer !== undefined || depth === 0 || typeof given !== 'object' || given === null) return;
  if (ArrayBuffer.isView(given) || seen.has(given)) return;
  seen.add(given);
  for (const member of Object.values(given)) noteSharedIn(program, member, depth - 1, seen);
}

function noteTold(view: unknown): void {
  const buffer = bufferOf(view);
  const memory = buffer && memories.get(buffer);
  if (memory !== undefined) memory.done = doneBy(memory.program);
}

function noteWaiting(view: unknown, callee: () => unknown): void {
  const buffer = bufferOf(view);
  const memory = buffer && memories.get(buffer);
  if (memory === undefined || scopeOf(contexts.active()) === undefined) return;
  const code = connectingCode(callee);
  if (code.type === 'code' && LOGGERS.has(code.package)) return;
  const answers = answersOf(memory.program, memory.done);
  recordConnection((isKnown) => (isKnown(answers.place) ? undefined : answers));
}

/** Notes for the run around each call that it waits for what a thread answers by shared memory, which no message tells. */
export function watchSharedMemory(patches: PatchSet): void {
  const watch = (key: keyof typeof Atomics, note: (view: unknown, callee: () => unknown) => void): void =>
    patches.replace<AnyFunction>(Atomics, key, (original) => {
      const watching: AnyFunction = function (this: unknown, ...parameters) {
        guarded('noting shared memory', () => note(parameters[0], watching as () => unknown), undefined);
        return Reflect.apply(original, this, parameters);
      };
      return disguised(watching, original);
    });
  watch('notify', noteTold);
  watch('wait', noteWaiting);
  watch('waitAsync', noteWaiting);
}
