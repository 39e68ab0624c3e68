import { context as contexts } from '@opentelemetry/api';
import { pristine, withPosition } from '@reenact/instrumentation';
import { type Recording, ReenactError, type ReplayReport } from '@reenact/trace-model';
import { MemorySink } from './events/event-sink.ts';
import { type GuardOptions, NOTHING_ALLOWED } from './guard/guard-options.ts';
import { installGuard } from './guard/install-guard.ts';
import { makePlan, type PlanOptions } from './plan/plan.ts';
import { reportEnvironment } from './player/environment-check.ts';
import { RecordedPlayer } from './player/recorded-player.ts';
import { guardLostContext } from './process/lost-context-player.ts';
import { createReplayId } from './process/replay-id.ts';
import { checkReplayable } from './report/check-replayable.ts';
import { buildReport } from './report/report-builder.ts';
import { installTime } from './time/install-time.ts';

/** A replay of code in this process. */
export interface ReplayOptions<Value> extends PlanOptions {
  readonly recording: Recording;
  /** The crossing to re-run: a run, or one agent, tool or sub-agent of it. Default: the recording's only root. */
  readonly rootSpanId?: string | undefined;
  /** Calls the code again, with the recorded input. */
  readonly run: () => Value | Promise<Value>;
  /**
   * shared: calls that carry no position are ordinary traffic and run for real. Without it they are looked up under the
   * run's root, or refused where several replays are going on: nothing runs for real because its context was lost.
   */
  readonly process?: 'shared' | undefined;
  /** Hosts, files and folders that code without a boundary may touch. Default: nothing beyond docs/adr/0009. */
  readonly guard?: Partial<GuardOptions> | undefined;
}

/** A report, with what `run` gave back or threw. */
export type ReplayResult<Value> = ReplayReport & { readonly value?: Value; readonly error?: unknown };

function rootOf(recording: Recording, rootSpanId: string | undefined): string {
  if (rootSpanId !== undefined) return rootSpanId;
  const [only, ...others] = recording.roots;
  if (only !== undefined && others.length === 0) return only.spanId;
  throw new ReenactError('bad-argument', `This recording has ${recording.roots.length} runs, so one must be named.`, {
    where: recording.traceId,
    next: `Give rootSpanId: one of ${recording.roots.map(({ spanId, path }) => `${spanId} (${path})`).join(', ')}.`,
  });
}

type Ending<Value> = { readonly value: Value } | { readonly error: unknown };

async function runAt<Value>(player: RecordedPlayer, run: ReplayOptions<Value>['run']): Promise<Ending<Value>> {
  const position = { player, cursor: undefined };
  const started = contexts.with(withPosition(contexts.active(), position), async () => run());
  try {
    return { value: await started };
  } catch (error) {
    return { error };
  }
}

/**
 * Runs code again against a recording, in this process, and reports what differed. What `run` throws is in the result;
 * the promise rejects only with a ReenactError, before `run` is called: `bad-argument`, `bad-plan`, `not-found`,
 * `cold-case`, `recording-damaged`. Needs a registered OpenTelemetry context manager.
 */
export async function replay<Value>(options: ReplayOptions<Value>): Promise<ReplayResult<Value>> {
  const { recording } = options;
  const rootSpanId = rootOf(recording, options.rootSpanId);
  const plan = makePlan(options, recording, rootSpanId);
  checkReplayable(recording, rootSpanId, plan);
  refuseWithoutContext();
  const replayId = createReplayId();
  const process = options.process ?? 'dedicated';
  const sink = new MemorySink();
  const player = new RecordedPlayer({ recording, rootSpanId, plan, replayId, process, sink });
  sink.write({ type: 'joined', process });
  reportEnvironment(recording, rootSpanId, sink);
  const startedAt = pristine.performanceNow();
  const release = process === 'shared' ? undefined : guardLostContext(player, sink);
  const removeGuard = installGuard({ player, scope: 'context', allowed: { ...NOTHING_ALLOWED, ...options.guard } });
  const restoreTime = installTime({ player, time: player.time, scope: 'context' });
  try {
    const ending = await runAt(player, options.run);
    const durationMs = pristine.performanceNow() - startedAt;
    const { events } = sink;
    const report = buildReport({ recording, rootSpanId, replayId, process, events, durationMs });
    return { ...report, ...ending };
  } finally {
    restoreTime();
    removeGuard();
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
      next: 'Start Node.js with --import reenact/register, or register an OpenTelemetry SDK before replaying.',
    },
  );
}
