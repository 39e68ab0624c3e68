import { forgetDescriptors, heldTelemetry, PatchSet, realPath } from '@reenact/instrumentation';
import { AddOnConnections } from './add-on-connections.ts';
import { AllowList } from './allow-list.ts';
import { EffectJudge } from './effect-judge.ts';
import { guardDatabases } from './guard-databases.ts';
import { guardDatagrams } from './guard-datagrams.ts';
import { guardFiles } from './guard-files.ts';
import { guardNames } from './guard-names.ts';
import { guardNative, loadedBefore } from './guard-native.ts';
import { type GuardOptions, NOTHING_ALLOWED } from './guard-options.ts';
import { guardPrograms } from './guard-programs.ts';
import { guardRequests } from './guard-requests.ts';
import { guardSignals } from './guard-signals.ts';
import { guardSockets } from './guard-sockets.ts';
import { guardThreads } from './guard-threads.ts';
import type { GuardedLaunch, GuardedPlayer } from './guarded-player.ts';
import { isLauncher } from './source-tools.ts';

/** What one replay has guarded. */
export interface GuardRequest {
  readonly player: GuardedPlayer;
  /**
   * process: everything in this process belongs to the replay. context: only code that carries a position of this player, so
   * that ordinary traffic beside the replay is not touched; where no replay has the process, what its exporters send goes out, and is noted.
   */
  readonly scope: 'process' | 'context';
  /** What is allowed beyond the defaults. */
  readonly allowed?: GuardOptions | undefined;
  /** The replay's own directory, which its processes write to. */
  readonly directory?: string | undefined;
  /**
   * Ends this process where a native add-on has connected to something for real. Undefined where nobody is to look: where parts of the
   * replay run live, nobody can tell whose connection it is.
   */
  readonly stopProcess?: (() => void) | undefined;
  /** The absolute path of the module by which a worker thread joins this replay (`joinThread`). Undefined: threads are refused. */
  readonly threadHook?: string | undefined;
  /** Lets the command start the process of the run. Undefined where the run can only begin in this process. */
  readonly launch?: GuardedLaunch | undefined;
}

const judge = new EffectJudge();
const addOns = new AddOnConnections(judge);
/** Undoes what guards the platform; undefined while nothing does. */
let unguard: (() => void) | undefined;
let isPrepared = false;

function patchEverything(): () => void {
  const made = new PatchSet();
  guardFiles(made, judge);
  guardSockets(made, judge, addOns);
  guardRequests(made, judge);
  guardNames(made, judge);
  guardDatagrams(made, judge);
  guardThreads(made, judge, addOns);
  guardDatabases(made, judge);
  const stopListening = [guardPrograms(made, judge), guardSignals(made, judge), guardNative(made, judge, addOns)];
  made.publish();
  heldTelemetry.holds = (target) => judge.holds(target);
  return () => {
    heldTelemetry.holds = undefined;
    for (const stop of stopListening) stop();
    made.restore();
  };
}

/**
 * Patches the platform for replays that come later, in a process that is shared: so that also functions which the user's code takes
 * out of their modules at its start are guarded then. It stays patched.
 */
export function prepareGuard(): void {
  isPrepared = true;
  unguard ??= patchEverything();
}

/**
 * Refuses, from now on, what code inside a replay does to the world without a boundary (docs/adr/0009); gives how to stop. The
 * platform is patched while at least one replay is guarded, and put back exactly after the last. For the whole of a process
 * call it before any code of the user runs.
 */
export function installGuard(request: GuardRequest): () => void {
  const { player, scope, allowed = NOTHING_ALLOWED, directory, stopProcess, threadHook, launch } = request;
  const mainScript = process.argv[1];
  // `npm start` and the like run no agent code; the process they start guards itself.
  if (scope === 'process' && isLauncher(mainScript === undefined ? undefined : realPath(mainScript)))
    return () => undefined;
  const ownsProcess = scope === 'process';
  const list = new AllowList(allowed, directory);
  const remove = judge.add({ player, ownsProcess, allowed: list, stopProcess, threadHook, launch });
  for (const note of loadedBefore()) player.noteUnguarded(note);
  unguard ??= patchEverything();
  return () => {
    remove();
    if (judge.ownerCount > 0 || isPrepared) return;
    unguard?.();
    unguard = undefined;
    forgetDescriptors();
  };
}
