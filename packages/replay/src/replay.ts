import { context as contexts } from '@opentelemetry/api';
import { isSwitchedOff, pristine, publishedOnce, withPosition } from '@reenact/instrumentation';
import { type Crossing, type Recording, ReenactError, type ReplayReport } from '@reenact/trace-model';
import type { EntryFunction } from './config/entry-function.ts';
import { awaitTail } from './entry/await-tail.ts';
import { callEntry } from './entry/call-entry.ts';
import { recordedInput } from './entry/recorded-input.ts';
import { type EventSink, MemorySink } from './events/event-sink.ts';
import { type GuardOptions, NOTHING_ALLOWED } from './guard/guard-options.ts';
import { installGuard } from './guard/install-guard.ts';
import type { Plan } from './plan/plan-schema.ts';
import { refuseTelemetryHosts } from './plan/planned-telemetry.ts';
import { reportEnvironment } from './player/environment-check.ts';
import { RecordedPlayer } from './player/recorded-player.ts';
import { RunTail } from './player/run-tail.ts';
import { replayAudited } from './process/audited-replay.ts';
import { checkEntered } from './process/entered-by-function.ts';
import { guardLostContext } from './process/lost-context-player.ts';
import { createReplayId } from './process/replay-id.ts';
import { missingRoot } from './recorded/missing-root.ts';
import { checkReplayable } from './report/check-replayable.ts';
import { buildReport } from './report/report-builder.ts';
import { makePlan, type PlanOptions } from './resolution/plan.ts';
import { installTime } from './time/install-time.ts';

/** What a replay in this process needs beside the code to run. */
export interface ReplaySettings extends PlanOptions {
  readonly recording: Recording;
  /** The crossing to re-run: a run, or one agent, tool or sub-agent of it. Default: the recording's only root. */
  readonly rootSpanId?: string | undefined;
  /**
   * shared: calls that carry no position are ordinary traffic and run for real. Without it they are looked up under the
   * run's root, or refused where several replays are going on: nothing runs for real because its context was lost.
   */
  readonly process?: 'shared' | undefined;
  /** Runs the code twice, to prove that nothing depends on what the plan ignores. Default false. */
  readonly audit?: boolean | undefined;
  /** Hosts, files and folders that code without a boundary may touch. Default: nothing beyond docs/adr/0009. */
  readonly guard?: Partial<GuardOptions> | undefined;
}

/** How the code is called again: by `run`, or as `entry` with the recorded input (docs/entries.md). */
export type ReplayedCode<Value> =
  | { readonly run: () => Value | Promise<Value>; readonly entry?: undefined }
  | { readonly entry: EntryFunction<Value>; readonly run?: undefined };

/** A replay of code in this process. */
export type ReplayOptions<Value> = ReplaySettings & ReplayedCode<Value>;

/** A report, with what the code gave back or threw; a stream as the array of its chunks. */
export type ReplayResult<Value> = ReplayReport & { readonly value?: Value; readonly error?: unknown };

/** Types do not keep JavaScript from giving an id, or all that `findRecording` gives. */
function checkRecording(recording: unknown): void {
  if (typeof recording === 'object' && recording !== null && 'bySpanId' in recording) return;
  throw new ReenactError('bad-argument', 'What replay() was given as `recording` is none.', {
    where: 'replay()',
    next: "const { recording, rootSpanId } = await findRecording('<id or file>'); then replay({ recording, rootSpanId, run }).",
  });
}

function rootOf(recording: Recording, rootSpanId: string | undefined): string {
  if (rootSpanId !== undefined) return rootSpanId;
  const [only, ...others] = recording.roots;
  if (only !== undefined && others.length === 0) return only.spanId;
  throw new ReenactError('bad-argument', `This recording has ${recording.roots.length} runs, so one must be named.`, {
    where: recording.traceId,
    next: `Give rootSpanId: one of ${recording.roots.map(({ spanId, path }) => `${spanId} (${path})`).join(', ')}.`,
  });
}

function rootCrossing(recording: Recording, rootSpanId: string): Crossing {
  const root = recording.bySpanId.get(rootSpanId);
  if (root !== undefined) return root;
  throw missingRoot(recording, rootSpanId);
}

type Ending<Value> = { readonly value: Value } | { readonly error: unknown };

/** Refuses what cannot be called before anything is set up; notes what is not as it was recorded. */
function callOf<Value>(
  { run, entry }: ReplayedCode<Value>,
  root: Crossing,
  sink: EventSink,
): () => Value | Promise<Value> {
  if (run !== undefined && entry === undefined) return run;
  if (run !== undefined || entry === undefined) {
    throw new ReenactError('bad-argument', 'A replay takes either `run` or `entry`.', {
      where: 'replay()',
      next: 'Give run: () => trader(request), or entry: trader to have it called with the recorded input.',
    });
  }
  const { parameters, notes } = recordedInput(root);
  for (const text of notes) sink.write({ type: 'note', text, unverified: false });
  return () => callEntry(entry, root, parameters) as Promise<Value>;
}

async function runAt<Value>(player: RecordedPlayer, run: () => Value | Promise<Value>): Promise<Ending<Value>> {
  const position = { player, cursor: undefined };
  const started = contexts.with(withPosition(contexts.active(), position), async () => run());
  try {
    return { value: await started };
  } catch (error) {
    return { error };
  }
}

/**
 * Runs code again against a recording, in this process, and reports what differed. What the code throws is in the result;
 * the promise rejects only with a ReenactError, before anything is called: `bad-argument`, `bad-plan`, `not-found`,
 * `cold-case`, `recording-damaged`, `unsupported`. Needs a registered OpenTelemetry context manager.
 */
export async function replay<Value>(options: ReplayOptions<Value>): Promise<ReplayResult<Value>> {
  const { recording } = options ?? {};
  checkRecording(recording);
  const rootSpanId = rootOf(recording, options.rootSpanId);
  const plan = makePlan(options, recording, rootSpanId);
  refuseTelemetryHosts(plan, 'replay()');
  const replayBy = (by: Plan): Promise<ReplayResult<Value>> => replayOnce(options, rootSpanId, by);
  return options.audit === true || options.file?.audit === true ? replayAudited(plan, replayBy) : replayBy(plan);
}

async function replayOnce<Value>(
  options: ReplayOptions<Value>,
  rootSpanId: string,
  plan: Plan,
): Promise<ReplayResult<Value>> {
  const { recording } = options;
  checkReplayable(recording, rootSpanId, plan);
  refuseWithoutContext();
  const replayId = createReplayId();
  const process = options.process ?? 'dedicated';
  const sink = new MemorySink();
  const player = new RecordedPlayer({ recording, rootSpanId, plan, replayId, process, sink });
  const root = rootCrossing(recording, rootSpanId);
  const call = callOf(options, root, sink);
  sink.write({ type: 'joined', process });
  reportEnvironment(recording, rootSpanId, sink);
  const startedAt = pristine.performanceNow();
  const release = process === 'shared' ? undefined : guardLostContext(player, sink);
  const allowed = { ...NOTHING_ALLOWED, ...options.guard };
  // The guard stands above: it judges what is called where it is called.
  const { removeGuard, restoreTime } = publishedOnce(() => ({
    restoreTime: installTime({ player, time: player.time, scope: 'context' }),
    removeGuard: installGuard({ player, scope: 'context', allowed }),
  }));
  try {
    const ending = await runAt(player, call);
    await awaitTail({ recording, root }, sink.events, new RunTail(player));
    const durationMs = pristine.performanceNow() - startedAt;
    const events = options.entry === undefined ? sink.events : checkEntered(sink.events, root);
    const report = buildReport({ recording, rootSpanId, plan, replayId, process, events, durationMs });
    return { ...report, ...ending };
  } finally {
    publishedOnce(() => {
      removeGuard();
      restoreTime();
    });
    release?.();
  }
}

/** Without a context manager no position reaches the agent, and every call would run for real. */
function refuseWithoutContext(): void {
  const probe = Symbol('reenact probe');
  const isCarried = contexts.with(contexts.active().setValue(probe, true), () => contexts.active().getValue(probe));
  if (isCarried === true) return;
  throw new ReenactError(
    'bad-config',
    'No OpenTelemetry context manager is registered, so a replay cannot reach the code.',
    {
      where: 'replay()',
      next: isSwitchedOff(globalThis.process.env)
        ? 'Unset REENACT_DISABLED and OTEL_SDK_DISABLED: with either, --import reenact/register sets nothing up.'
        : 'Start Node.js with --import reenact/register, or register an OpenTelemetry SDK before replaying.',
    },
  );
}
