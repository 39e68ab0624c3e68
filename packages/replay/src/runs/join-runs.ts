import { type Player, pristine } from '@reenact/instrumentation';
import { type Crossing, isSentAgain, type Recording, type RunBeside } from '@reenact/trace-model';
import { runsBesideOf } from '@reenact/trace-model/reading';
import { InputComparer } from '../equality/input-comparison.ts';
import type { FileSink } from '../events/event-sink.ts';
import type { GuardOptions } from '../guard/guard-options.ts';
import { installGuard } from '../guard/install-guard.ts';
import { AFTER_RUN_MS_MAX, RUN_TAIL_MS } from '../limits.ts';
import { planBeside } from '../plan/plan-beside.ts';
import type { Plan } from '../plan/plan-schema.ts';
import { OpenRuns } from '../player/open-runs.ts';
import { RecordedPlayer } from '../player/recorded-player.ts';
import type { RecordedPlayerOptions } from '../player/recorded-player-options.ts';
import { RunTail } from '../player/run-tail.ts';
import { tailMs } from '../process/send-recorded-request.ts';
import { inStartOrder } from '../recorded/in-start-order.ts';
import { isServedBeside } from '../recorded/one-call.ts';
import { resolvePlan } from '../resolution/resolved-plan.ts';
import { installTime } from '../time/install-time.ts';
import { RequestsToCome } from './requests-to-come.ts';
import { type RunOfProcess, RunsPlayer } from './runs-player.ts';
import { tellRest } from './tell-rest.ts';

/** What the runs of a process have in common. */
export interface JoinRunsOptions {
  /** Answers the run that is replayed. */
  readonly player: RecordedPlayer;
  /** How that player was made; those of the other runs are made alike. */
  readonly made: RecordedPlayerOptions;
  readonly sink: FileSink;
  readonly guard: GuardOptions | undefined;
  /** The replay's own. */
  readonly directory: string;
  /** Ends the process: what it goes on to do is no part of the replay. */
  readonly stopProcess: () => void;
  /** Whether it is ended some time after the run; somebody may look at it with a debugger, and it takes the time that takes. */
  readonly isWatched: boolean;
  /** Told of each run that begins, by the span id of its root. */
  readonly began?: ((rootSpanId: string) => void) | undefined;
  /** Whether the run is a request, sent to the process once it listens: whoever sends it ends the process. */
  readonly isAsked: boolean;
}

function comparerBy(plan: Plan, recording: Recording, rootSpanId: string): InputComparer {
  const resolved = resolvePlan(plan, recording, rootSpanId);
  return new InputComparer((recorded) => resolved.ignoredPathsOf(recorded, 'input'));
}

/** A player for a run beside the replayed one. It reports for itself. */
export function playerBeside(
  { made, sink }: Pick<JoinRunsOptions, 'made' | 'sink'>,
  { recording, root }: Pick<RunBeside, 'recording' | 'root'>,
): RecordedPlayer {
  const { arrived: _arrived, ...alike } = made;
  const { spanId: rootSpanId } = root;
  const plan = planBeside(made.plan, recording, rootSpanId);
  const servesRoot = isServedBeside(root);
  const beside = [made.recording, ...made.recording.runsBeside];
  return new RecordedPlayer({
    ...alike,
    recording,
    rootSpanId,
    plan,
    servesRoot,
    beside,
    sink: sink.ofRun(rootSpanId),
  });
}

/** The player of the run beside the replayed one in which a position stands; undefined where it stands in none of them. */
export function playerAt(
  options: Pick<JoinRunsOptions, 'made' | 'sink'>,
  cursor: string | undefined,
): RecordedPlayer | undefined {
  const { recording, rootSpanId } = options.made;
  if (cursor === undefined || recording.bySpanId.has(cursor)) return undefined;
  const run = runsBesideOf(recording, rootSpanId).runs.find((one) => one.recording.bySpanId.has(cursor));
  return run === undefined ? undefined : playerBeside(options, run);
}

/** Its code carries its positions, and is guarded and has its own time by these. */
function openBeside(options: JoinRunsOptions, run: RunBeside): RecordedPlayer {
  const { guard: allowed, directory, isAsked, sink } = options;
  const player = playerBeside(options, run);
  installTime({ player, time: player.time, scope: 'context' });
  installGuard({ player, scope: 'context', allowed, directory });
  const rested = (): void => player.schedule.step?.leave();
  if (isAsked) tellRest({ player, root: run.root, sink, isBeside: true, rested });
  return player;
}

function runBeside(options: JoinRunsOptions, run: RunBeside): RunOfProcess {
  const { recording, root } = run;
  const plan = planBeside(options.made.plan, recording, root.spanId);
  const comparer = comparerBy(plan, recording, root.spanId);
  return { recording, root, comparer, open: () => openBeside(options, run) };
}

/** Stops the process some time after its run has ended, where it does not end by itself: a worker waits for its next job for ever. */
function stopLater(options: JoinRunsOptions, root: Crossing, openRuns: OpenRuns): void {
  const { sink, stopProcess, isWatched, isAsked } = options;
  // The driver stops a service that has answered.
  if (!isWatched || isAsked) return;
  const stop = (): void => {
    // What goes on in a run beside it is compared to its end.
    if (openRuns.count > 0) {
      stopLater(options, root, openRuns);
      return;
    }
    const seconds = AFTER_RUN_MS_MAX / 1_000;
    const text = `The program did not end within ${seconds} seconds after ${root.path} had ended: it was stopped then.`;
    sink.write({ type: 'note', text, unverified: false });
    stopProcess();
  };
  pristine.setTimeout(stop, AFTER_RUN_MS_MAX).unref();
}

/** Has the requests that the replay goes through sent in the order of the recording; undefined where nothing is kept in it, or there is one alone. */
function requestsToCome(
  { made, sink, player }: JoinRunsOptions,
  runs: readonly RunOfProcess[],
): RequestsToCome | undefined {
  const { inStep, pace, rootSpanId } = made;
  const roots = inStartOrder(runs.map(({ root }) => root).filter(isSentAgain));
  if (inStep === undefined || pace === 'recorded' || roots.length < 2) return undefined;
  const due = ({ spanId }: Crossing): void =>
    (spanId === rootSpanId ? sink : sink.ofRun(spanId)).write({ type: 'due' });
  const own = roots.find(({ spanId }) => spanId === rootSpanId);
  const [first] = roots;
  const firstUs = own && first && Number(first.startTimeUnixNano - own.startTimeUnixNano) / 1_000;
  const mayBegin = (): boolean => firstUs === undefined || !player.schedule.beforeRun.hasCallBefore(firstUs);
  return new RequestsToCome({ roots, inStep, due, mayBegin });
}

/** Answers the calls of a process that goes through the replayed run and others (docs/adr/0034). */
export function joinRuns(options: JoinRunsOptions): Player {
  const { player, made, sink, isAsked } = options;
  const { recording, rootSpanId } = made;
  const root = recording.bySpanId.get(rootSpanId);
  const { place, runs: beside } = runsBesideOf(recording, rootSpanId);
  if (root === undefined) return player;
  if (isAsked && beside.length === 0) {
    player.schedule.beforeRun.onceOver(() => sink.write({ type: 'due' }));
    return player;
  }
  const own = { recording, root, comparer: comparerBy(made.plan, recording, rootSpanId), open: () => player };
  const others = beside.map((run) => ({ place: run.place, run: runBeside(options, run) }));
  // The run of the process is none of them: it is around what stands in no run.
  const isProcessRun = place === 0 && beside.length > 0;
  const all = [...(isProcessRun ? [] : [{ place, run: own }]), ...others].sort((a, b) => a.place - b.place);
  let isEnding = false;
  const over = (): void => {
    if (isEnding || isAsked) return;
    isEnding = true;
    // What the run left going on has the time that it took when it was recorded.
    void new RunTail(player).over(Math.max(tailMs({ recording, root }), RUN_TAIL_MS)).then(options.stopProcess);
  };
  const openRuns = made.openRuns ?? new OpenRuns();
  const ended = (): void => stopLater(options, root, openRuns);
  const runs = all.map(({ run }) => run);
  const toCome = isAsked ? requestsToCome(options, runs) : undefined;
  const began = (run: RunOfProcess): void => {
    options.began?.(run.root.spanId);
    toCome?.came(run.root);
  };
  return new RunsPlayer({
    ...{ player, recording, root, runs, openRuns, sink, ended, over, began },
    staysInStep: toCome !== undefined,
  });
}
