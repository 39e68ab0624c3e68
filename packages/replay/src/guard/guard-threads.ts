import { membersOf, type PatchSet, type ThreadMessageListener, watchThreadMessages } from '@reenact/instrumentation';
import { startNumbered } from '../time/patches/thread-numbers.ts';
import { noteStartedThread, type StartedThread } from '../time/schedule/started-threads.ts';
import type { AddOnConnections } from './add-on-connections.ts';
import { startTold, tellAllAsked, tellAsked } from './asked-threads.ts';
import type { EffectJudge } from './effect-judge.ts';
import { inReplay } from './replay-environment.ts';

type WorkerClass = new (...parameters: unknown[]) => object;

const invalidFlags = /invalid execArgv flags: (.*)$/;

/** The flags that a thread would take over from its process, but for those that Node.js lets no thread be given. */
function takenOver(error: unknown, flags: readonly unknown[]): unknown[] | undefined {
  const { code, message } = membersOf(error);
  if (code !== 'ERR_WORKER_INVALID_EXEC_ARGV') return undefined;
  const named = invalidFlags.exec(String(message))?.[1]?.split(', ') ?? [];
  const kept = flags.filter((flag) => !named.includes(String(flag)));
  return kept.length < flags.length ? kept : undefined;
}

/**
 * Starts a thread that loads a module before anything else, whatever it runs: a file, a text, an address. By `--require`, for a thread whose code
 * is given as text runs it before what `--import` names has been loaded.
 */
function startHooked(start: (parameters: unknown[]) => object, parameters: unknown[], hook: string): object {
  const [program, options, ...rest] = parameters;
  const { execArgv } = membersOf(options);
  const given = Array.isArray(execArgv) ? execArgv : undefined;
  const flags: readonly unknown[] = given ?? process.execArgv;
  const startWith = (list: readonly unknown[]): object =>
    start([program, { ...(options as object | undefined), execArgv: [`--require=${hook}`, ...list] }, ...rest]);
  try {
    return startWith(flags);
  } catch (thrown) {
    const kept = given === undefined ? takenOver(thrown, flags) : undefined;
    if (kept === undefined) throw thrown;
    return startWith(kept);
  }
}

/** Tells threads that a run asks them for something, before they get the message. */
function askingThrough(judge: EffectJudge): ThreadMessageListener {
  const asking = (tell: () => void): void => {
    if (judge.isWithinRun()) tell();
  };
  return {
    sentTo: (thread) => asking(() => tellAsked(thread)),
    sentByPort: () => asking(tellAllAsked),
    broadcast: () => asking(tellAllAsked),
  };
}

/**
 * Worker threads run again, as agents do: those of loggers and pools are in half of all programs. Each loads the guard before its own code, and
 * does nothing to the world. Where it cannot be made to, as where a replay has not the whole process, a thread is refused.
 */
export function guardThreads(patches: PatchSet, judge: EffectJudge, addOns: AddOnConnections): void {
  const watched = watchThreadMessages(patches, askingThrough(judge));
  patches.replace<WorkerClass>(process.getBuiltinModule('node:worker_threads'), 'Worker', (original) => {
    const construct = (target: WorkerClass, parameters: unknown[], newTarget: NewableFunction): object => {
      const start = (given: unknown[]): object =>
        Reflect.construct(target, inReplay(given, judge), newTarget) as object;
      const hook = judge.isLive() ? undefined : judge.ownerOfProcess()?.threadHook;
      const name = membersOf(parameters[1]).eval === true ? 'of code given as text' : String(parameters[0]);
      if (hook !== undefined) {
        addOns.threadStarts();
        judge.note(`A worker thread was started: its code runs again, guarded, on the real clock (${name}).`);
        const thread = startTold(
          () => startNumbered(() => watched.starting(() => startHooked(start, parameters, hook))),
          judge.isWithinRun(),
        );
        noteStartedThread(thread as StartedThread);
        return thread;
      }
      const refusal = judge.refusalOf(() => ({ type: 'program', name: 'worker_threads.Worker', target: name }));
      if (refusal !== undefined) throw refusal;
      return start(parameters);
    };
    return new Proxy(original, { construct });
  });
}
