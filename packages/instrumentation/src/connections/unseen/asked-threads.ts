import { basename } from 'node:path';
import { MessagePort } from 'node:worker_threads';
import { processState } from '@reenact/trace-model';
import { THREAD_PROGRAMS_MAX } from '../../limits.ts';
import { ThreadDoings } from '../../run/thread-doings.ts';
import type { UnseenConnection } from '../../run/unseen-connections.ts';

/** The threads of one program. */
export interface ThreadProgram {
  /** `thread <file>`, the whole path where another one has that name. */
  readonly name: string;
  /** `thread <file>`, always with the whole path: what a run is told that starts one. */
  readonly startPlace: string;
  /** Whose code started the first of them. */
  readonly package: string | undefined;
  readonly doings: ThreadDoings;
  /** Whether they were given a port, over which they may be asked. */
  hasPort: boolean;
  /** How often they had called others when a run started or asked one first; undefined where none has. */
  callsBeforeAsked: number | undefined;
  /** How often they were asked or started where it stands in no run for which one. Each that goes on may be who waits for it. */
  asksForAny: number;
}

const programs = processState('thread-programs.3', () => new Map<string, ThreadProgram>());

/** What a run is told that starts a thread of this file. */
export function startPlaceOf(file: string): string {
  return `thread ${file}`;
}

function nameOf(file: string): string {
  const name = `thread ${basename(file)}`;
  return threadPrograms().some((other) => other.name === name) ? `thread ${file}` : name;
}

/** That of this file; undefined where there are too many to be told apart. */
export function threadProgram(file: string, packageName: string | undefined): ThreadProgram | undefined {
  const known = programs.get(file);
  if (known !== undefined || programs.size >= THREAD_PROGRAMS_MAX) return known;
  const program = {
    name: nameOf(file),
    startPlace: startPlaceOf(file),
    package: packageName,
    doings: new ThreadDoings(),
    hasPort: false,
    callsBeforeAsked: undefined,
    asksForAny: 0,
  };
  programs.set(file, program);
  return program;
}

/** All of them, or those that may be asked over a port. */
export function threadPrograms(how: 'all' | 'port' = 'all'): ThreadProgram[] {
  return Array.from(programs.values()).filter(({ hasPort }) => how === 'all' || hasPort);
}

/** Notes that a thread is given what a message transfers to it. */
export function noteTransfer(program: ThreadProgram, transferred: unknown): void {
  const list: unknown = Array.isArray(transferred)
    ? transferred
    : (transferred as { transfer?: unknown } | null)?.transfer;
  if (Array.isArray(list) && list.some((given) => given instanceof MessagePort)) program.hasPort = true;
}

/** How often the threads of a program have done what its answers may depend on. */
export interface DoneByThreads {
  readonly calls: number;
  readonly draws: number;
}

/** How often they have until now. */
export function doneBy({ doings }: ThreadProgram): DoneByThreads {
  return { calls: doings.countOf('call'), draws: doings.countOf('draw') };
}

/** Gives whether these threads have drawn or called since they had `done` that. Those that did not say that they record tell nothing of what they do. */
export function drawnOrCalledSince(program: ThreadProgram, { calls, draws } = doneBy(program)): () => boolean {
  const { doings } = program;
  return () => doings.countOf('joined') === 0 || doings.countOf('call') > calls || doings.countOf('draw') > draws;
}

/** What a run lacks that asks such a thread now, or did when they had `done` that: its answers, once it has drawn or called since. */
export function answersOf(program: ThreadProgram, done = doneBy(program)): UnseenConnection {
  program.callsBeforeAsked ??= done.calls;
  return {
    place: `answers of ${program.name}`,
    package: program.package,
    isLacking: drawnOrCalledSince(program, done),
  };
}

/** What the threads of this process had been asked for, and had done, when a run began. */
export class ThreadsAtBegin {
  private readonly counts = new Map(threadPrograms().map((program) => [program, countsOf(program)]));

  /**
   * What that run may lack now: answers of those that were asked since where it stands in no run for which one, and drew or called since. A pool does so that
   * hands on what waits in its queue. `isTold`: whether something of this place is lacking anyway.
   */
  answersForAny(isTold: (place: string) => boolean): UnseenConnection[] {
    return threadPrograms()
      .filter(({ name, startPlace }) => !isTold(`answers of ${name}`) && !isTold(startPlace))
      .filter((program) => {
        const before = this.counts.get(program) ?? { asksForAny: 0, done: 0 };
        const now = countsOf(program);
        const isQuiet = program.doings.countOf('joined') > 0 && now.done === before.done;
        return now.asksForAny > before.asksForAny && !isQuiet;
      })
      .map(({ name, package: packageName }) => ({ place: `answers of ${name}`, package: packageName }));
  }
}

function countsOf({ asksForAny, doings }: ThreadProgram): { readonly asksForAny: number; readonly done: number } {
  return { asksForAny, done: doings.countOf('call') + doings.countOf('draw') };
}

/** Of threads that called others by themselves, before any run had asked them: a replay starts them again and refuses it. */
export function callsOfThreads(): UnseenConnection[] {
  return threadPrograms()
    .filter(({ doings, callsBeforeAsked = doings.countOf('call') }) => callsBeforeAsked > 0)
    .map(({ name, package: packageName }) => ({ place: `calls of ${name}`, package: packageName }));
}
