import { basename } from 'node:path';
import {
  type Crossing,
  crossingLabel,
  isInboundRequest,
  isInboundRpc,
  isSentAgain,
  type Recording,
  ReenactError,
  type ReplayReport,
  toReenactError,
} from '@reenact/trace-model';
import { runsBesideOf } from '@reenact/trace-model/reading';
import type { EntryOrder } from './config/entry-order.ts';
import { entryLine } from './config/load-entry.ts';
import type { DebugOrder } from './debug/debug-order.ts';
import { isDebuggerClaimed } from './debug/debugged-process.ts';
import type { StampedEvent } from './events/replay-event.ts';
import { reportClockUs } from './events/report-clock.ts';
import { type GuardOptions, NOTHING_ALLOWED } from './guard/guard-options.ts';
import type { Plan } from './plan/plan-schema.ts';
import { type ChildEnvironmentOptions, childEnvironment } from './process/child-environment.ts';
import { checkEntered } from './process/entered-by-function.ts';
import { GivenSecrets } from './process/given-secrets.ts';
import { httpEntry, type InboundEntryOptions } from './process/http-entry.ts';
import { stopLeftCommand } from './process/left-command.ts';
import type { ListeningEntry } from './process/listening-entry.ts';
import { refuseDeno } from './process/other-runtimes.ts';
import { type OutsideProcess, watchProcesses } from './process/outside-processes.ts';
import { isPermissionFlag, permissionAdvice } from './process/permissions.ts';
import { createReplayDirectory, gatherReports, refusalIn, removeReplayDirectory } from './process/replay-directory.ts';
import { createReplayId } from './process/replay-id.ts';
import { rpcEntry } from './process/rpc-entry.ts';
import { type ChildOptions, type Companion, runChild } from './process/run-child.ts';
import { runListeningEntry } from './process/run-listening-entry.ts';
import type { EntryBeside } from './process/send-in-turn.ts';
import { awaitStartedProcesses } from './process/started-processes.ts';
import { type ReplayProgress, watchProgress } from './process/watch-progress.ts';
import { createPositionKey } from './propagation/position-token.ts';
import { crossingsToMeet } from './recorded/crossings-to-meet.ts';
import { latestEndMs } from './recorded/latest-end-ms.ts';
import { missingRoot } from './recorded/missing-root.ts';
import { namedTelemetryHosts } from './recorded/named-telemetry-hosts.ts';
import { isOneCall } from './recorded/one-call.ts';
import { checkReplayable } from './report/check-replayable.ts';
import { mayCallMore } from './report/may-call-more.ts';
import { buildReport } from './report/report-builder.ts';
import { checkRunsBeside } from './runs/check-runs.ts';
import { exitOf } from './runs/exit-of.ts';
import { withRunsBeside } from './runs/replayed-runs.ts';
import { RelayedReplay } from './service/relayed-replay.ts';
import type { ReplayServiceSettings } from './service/shared-settings.ts';
import type { Pace } from './time/schedule/pace.ts';

/** What it takes to run a command as a replay. */
export interface ReplayCommandOptions extends ChildOptions {
  readonly recording: Recording;
  /** A root of the recording: a command always re-runs the whole run. With `entry`, any crossing of it. */
  readonly rootSpanId: string;
  readonly plan: Plan;
  /** What code that no boundary covers may touch. Default: nothing beyond docs/adr/0009. */
  readonly guard?: GuardOptions | undefined;
  /** Default: virtual. */
  readonly pace?: Pace | undefined;
  /** OTLP/HTTP endpoint that takes the spans of the replay, path included. Default: they go nowhere. */
  readonly exportUrl?: string | undefined;
  /** Environment of the child; the replay adds to it. */
  readonly environment: NodeJS.ProcessEnv;
  /** The command calls the function found here with the recorded input of the root (run-entry.ts of `reenact`). */
  readonly entry?: EntryOrder | undefined;
  /** What the command's process does for somebody who debugs it. */
  readonly debug?: DebugOrder | undefined;
  /** Told of everything the processes of the replay reported. */
  readonly onEvents?: ((events: readonly StampedEvent[]) => void) | undefined;
  /** Told about once a second how far the command has come. */
  readonly onProgress?: ((progress: ReplayProgress) => void) | undefined;
  /** `file:` URL of the module that makes the child join, `reenact/register`. */
  readonly registerUrl: string;
  /** Where running services join the replay, for a plan that goes through services. Default: no other process joins. */
  readonly services?: ReplayServiceSettings | undefined;
  /** For a run that an inbound request or call entered: headers to send in place of the recorded ones of the same names. */
  readonly requestHeaders?: Readonly<Record<string, string>> | undefined;
}

function refuseNested(options: ReplayCommandOptions): void {
  const { recording, rootSpanId, command, entry } = options;
  if (entry !== undefined || recording.roots.some(({ spanId }) => spanId === rootSpanId)) return;
  const nested = recording.bySpanId.get(rootSpanId);
  let root = nested;
  while (root?.parentSpanId !== undefined && recording.bySpanId.has(root.parentSpanId)) {
    root = recording.bySpanId.get(root.parentSpanId);
  }
  if (nested === undefined || root === undefined) throw missingRoot(recording, rootSpanId);
  const whole = `Replay the run it belongs to: \`reenact replay ${root.spanId} -- ${command.join(' ')}\``;
  // What a client library was called for is no function of the user.
  const part =
    nested.call === 'exchange'
      ? ''
      : `\nTo re-run only this part, map it to its function in reenact.config.ts and leave the command out: ${entryLine(crossingLabel(nested))}`;
  throw new ReenactError('unsupported', `A command re-runs a whole run, and ${nested.path} is only a part of one.`, {
    where: rootSpanId,
    next: `${whole}${part}`,
  });
}

/** Programs that are Node.js, and nothing before it. */
const nodePrograms = new Set(['node', 'nodejs', 'npm', 'npx']);

function refusedNote(program: string, refusal: string): string {
  if (nodePrograms.has(basename(program, '.exe')))
    return `"${program}" ended before its first line, and did nothing: ${refusal}`;
  return `A Node.js process of "${program}" ended before its first line, and did nothing; whatever else "${program}" did was real. ${refusal}`;
}

function notJoined({ command, environment, debug }: ReplayCommandOptions, directory: string): string {
  const [program] = command;
  const refusal = refusalIn(directory);
  if (refusal !== undefined) return refusedNote(program ?? '', refusal);
  if (debug !== undefined && debug.type !== 'scout' && isDebuggerClaimed(directory)) {
    return refusedNote(
      program ?? '',
      'it was ended while it waited for its debugger. Attach one, or leave --inspect-brk out.',
    );
  }
  if ([...command, ...(environment.NODE_OPTIONS ?? '').split(/\s+/)].some((word) => isPermissionFlag(word))) {
    return `"${program ?? ''}" did not join the replay: it runs with Node.js's permissions. ${permissionAdvice()}`;
  }
  return `"${program ?? ''}" never joined the replay, so whatever it did was real: it must be a Node.js program, and NODE_OPTIONS must reach it.`;
}

/** What is told of processes beside that of the run. */
interface WhatWasSeen {
  readonly outside: StampedEvent[];
  readonly notes: string[];
}

/** Stops at once what runs for real beside the replay, and reports it, until what the run started has ended, too. */
function watching(options: ReplayCommandOptions, directory: string, told: WhatWasSeen): Companion {
  const { recording, rootSpanId, registerUrl } = options;
  const path = recording.bySpanId.get(rootSpanId)?.path ?? '';
  const onNote = (text: string): void => void told.notes.push(text);
  const isMissed = (events: readonly StampedEvent[]): boolean => mayCallMore(recording, rootSpanId, events);
  return async (child, ended) => {
    const onOutside = ({ processId, ...seen }: OutsideProcess): void => {
      try {
        process.kill(processId, 'SIGKILL');
      } catch {
        // It ended by itself meanwhile; what it did was real all the same.
      }
      told.outside.push({ processId: `${processId}`, atUs: Date.now() * 1_000, event: { type: 'outside', ...seen } });
    };
    if (child.pid === undefined) return;
    const over = new AbortController();
    const watched = watchProcesses({ rootProcessId: child.pid, directory, registerUrl, onOutside }, over.signal);
    await awaitStartedProcesses({ directory, path, isMissed, onNote }, ended);
    over.abort();
    await watched;
  };
}

function entryMaking(root: Crossing): ((options: InboundEntryOptions) => ListeningEntry) | undefined {
  return isInboundRequest(root) ? httpEntry : isInboundRpc(root) ? rpcEntry : undefined;
}

/** The requests before that of the run and beside it, as far as they are held: what the service began by itself it begins again by itself. */
function entriesBeside(
  { recording, rootSpanId, requestHeaders = {} }: ReplayCommandOptions,
  directory: string,
  given: GivenSecrets,
): EntryBeside[] {
  return runsBesideOf(recording, rootSpanId).runs.flatMap((run): EntryBeside[] => {
    const making = entryMaking(run.root);
    if (making === undefined) return [];
    try {
      return [{ run, entry: making({ ...run, headers: requestHeaders, directory, given }) }];
    } catch (thrown) {
      return [{ run, entry: toReenactError(thrown) }];
    }
  });
}

/** What came of entering a run from outside. */
interface Entered {
  readonly notes: string[];
  /** When the service was told to stop, microseconds since the epoch. */
  stoppedAtUs?: number;
}

/** Enters the run where it is not the command itself that does: tells `entered` of it. */
function entering(options: ReplayCommandOptions, directory: string, entered: Entered): Companion | undefined {
  const { recording, rootSpanId, requestHeaders = {} } = options;
  const root = recording.bySpanId.get(rootSpanId);
  if (root === undefined || options.entry !== undefined) return undefined;
  const making = entryMaking(root);
  if (making === undefined) return undefined;
  const given = new GivenSecrets();
  const entry = making({ recording, root, headers: requestHeaders, directory, given });
  const beside = entriesBeside(options, directory, given);
  return async (child, ended) => {
    const stopping = (): void => {
      entered.stoppedAtUs = reportClockUs();
    };
    entered.notes.push(...(await runListeningEntry({ entry, beside, pace: options.pace, stopping }, child, ended)));
  };
}

/** Ends a command that goes on without the run; one that a request enters is stopped when that was answered. */
function endingLeft(options: ReplayCommandOptions, directory: string, notes: string[]): Companion | undefined {
  const { recording, rootSpanId, command, debug, services } = options;
  const root = recording.bySpanId.get(rootSpanId);
  if (root === undefined || debug !== undefined || services !== undefined) return undefined;
  if (isSentAgain(root)) return undefined;
  const onNote = (text: string): void => void notes.push(text);
  return stopLeftCommand({ directory, path: root.path, command: command.join(' '), onNote });
}

/** Hands the replay to running services, where it goes through them. */
function relayOf(options: ReplayCommandOptions, replayId: string): Promise<RelayedReplay | undefined> {
  const { recording, rootSpanId, plan, services: settings, guard = NOTHING_ALLOWED } = options;
  if (settings === undefined) return Promise.resolve(undefined);
  return RelayedReplay.register({ recording, rootSpanId, plan, guard, replayId, settings });
}

/** What the command's own processes reported, and what running services did. */
async function gatherAll(
  directory: string,
  relayed: RelayedReplay | undefined,
  { OTEL_SERVICE_NAME: service }: NodeJS.ProcessEnv,
): Promise<ReturnType<typeof gatherReports>> {
  const own = gatherReports(directory);
  if (relayed === undefined) return own;
  const { events, notes } = await relayed.gather();
  const named = own.events.map((event) => (service === undefined ? event : { ...event, service }));
  return { events: [...named, ...events], notes: [...own.notes, ...notes] };
}

/**
 * Runs a command as a dedicated replay and gives its report. A run that an inbound request or gRPC call entered is entered by that
 * once the command listens, and the command is stopped when it has answered. The verified recording, the plan and all reports meet in one
 * private directory (docs/adr/0006), which is gone at the end. Throws ReenactError before the command runs: `unsupported`,
 * `not-found`, `cold-case`, `recording-damaged`, `bad-plan`, `driver-failed`, `launch-failed`.
 */
export async function replayCommand(options: ReplayCommandOptions): Promise<ReplayReport> {
  const { recording, rootSpanId, plan, guard = NOTHING_ALLOWED, entry, debug, pace, exportUrl } = options;
  refuseNested(options);
  refuseDeno(options.command);
  const root = recording.bySpanId.get(rootSpanId);
  checkReplayable(recording, rootSpanId, plan, entry === undefined && root !== undefined && isOneCall(recording, root));
  if (entry === undefined) checkRunsBeside(recording, rootSpanId, plan);
  const replayId = createReplayId();
  const relayed = await relayOf(options, replayId);
  const key = relayed?.positionKey ?? createPositionKey();
  const spansLaterMs = exportUrl === undefined ? undefined : Date.now() - latestEndMs(recording);
  const order = { replayId, rootSpanId, plan, pace, exportUrl, spansLaterMs, guard, entry, debug, key };
  const directory = createReplayDirectory(recording, order);
  const { registerUrl, command } = options;
  const telemetryHosts = namedTelemetryHosts(recording, plan.telemetryHosts ?? [], options.environment);
  const variables: ChildEnvironmentOptions = { replayId, key, directory, registerUrl, command, telemetryHosts };
  const startedAt = performance.now();
  try {
    const entered: Entered = { notes: [] };
    const outside: StampedEvent[] = [];
    const companions = [
      entering(options, directory, entered),
      endingLeft(options, directory, entered.notes),
      watching(options, directory, { outside, notes: entered.notes }),
      options.onProgress === undefined
        ? undefined
        : watchProgress(directory, crossingsToMeet(recording, rootSpanId), options.onProgress),
    ].filter((companion) => companion !== undefined);
    const commandExit = await runChild(options, childEnvironment(options.environment, variables), companions);
    const { events: joined, notes } = await gatherAll(directory, relayed, options.environment);
    const reported = [...joined.filter(({ run }) => run === undefined), ...outside];
    options.onEvents?.(reported);
    const events = entry === undefined || root === undefined ? reported : checkEntered(reported, root);
    notes.push(...entered.notes);
    if (!events.some(({ event }) => event.type === 'joined' || event.type === 'failed' || event.type === 'outside')) {
      notes.push(notJoined(options, directory));
    }
    const agentExit = exitOf(commandExit, events);
    const durationMs = performance.now() - startedAt;
    const report = buildReport({
      recording,
      rootSpanId,
      plan,
      replayId,
      process: relayed === undefined ? 'dedicated' : 'shared',
      exportUrl,
      events,
      notes,
      durationMs,
      agentExit,
    });
    if (entry !== undefined) return report;
    return withRunsBeside(report, { recording, rootSpanId, plan, events: joined, stoppedAtUs: entered.stoppedAtUs });
  } finally {
    removeReplayDirectory(directory);
    await relayed?.end();
  }
}
