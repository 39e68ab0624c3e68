import { assembleRecording } from '@reenact/dialects';
import { childOccurrence, isOfCodeThatRunsAgain, type Player, type Position, pristine } from '@reenact/instrumentation';
import { subtreeOf } from '@reenact/recordings';
import { type Crossing, isSentAgain, type Recording, ReenactError, toReenactError } from '@reenact/trace-model';
import { readFixture, setUpOf } from '@reenact/trace-model/reading';
import { joinDebugging } from './debug/join-debugging.ts';
import { type JoinedEntry, joinEntry } from './entry/joined-entry.ts';
import { FileSink, isReporting } from './events/event-sink.ts';
import type { GuardedLaunch } from './guard/guarded-player.ts';
import type { GuardRequest } from './guard/install-guard.ts';
import { runsLive } from './plan/runs-live.ts';
import { reportEnvironment } from './player/environment-check.ts';
import { OpenRuns } from './player/open-runs.ts';
import { RaisedMessages } from './player/raised-messages.ts';
import { RecordedPlayer } from './player/recorded-player.ts';
import type { RecordedPlayerOptions } from './player/recorded-player-options.ts';
import { RecordingEnd } from './player/recording-end.ts';
import { claimIn } from './process/claim-in-directory.ts';
import { haveEnded } from './process/left-command.ts';
import { type Listening, tellListening } from './process/listening-file.ts';
import { mayNotWrite, permissionAdvice } from './process/permissions.ts';
import {
  certainProcessRun,
  isOccurrence,
  opensRunAtEnd,
  type ProcessRunScope,
  recordedProcessRun,
} from './process/recorded-process-run.ts';
import { gatherReports, type ReplayOrder, readReplayDirectory } from './process/replay-directory.ts';
import type { WatchedDriver } from './process/replay-driver.ts';
import { tellInputRead } from './process/tell-input-read.ts';
import { mayHaveRested, whenRested } from './process/when-rested.ts';
import { REPLAY_DIRECTORY_VARIABLE } from './process-variables.ts';
import { positionTokenIn } from './propagation/position-token.ts';
import { isOneCall } from './recorded/one-call.ts';
import { IdleWatch, ownProgram } from './runs/idle-watch.ts';
import { givenInputOf, joinInput } from './runs/join-input.ts';
import { joinRuns, playerAt } from './runs/join-runs.ts';
import { limitRefusals } from './runs/limit-refusals.ts';
import { longestGapMs } from './runs/longest-gap.ts';
import { isOtherProgram, RunLaunch } from './runs/run-launch.ts';
import { tellRest } from './runs/tell-rest.ts';
import { upgradesIn } from './runs/upgrades-in.ts';
import type { TimeRequest } from './time/install-time.ts';
import { toldNumber } from './time/patches/told-number.ts';
import type { Pace } from './time/schedule/pace.ts';
import { RunsInStep } from './time/schedule/runs-in-step.ts';

/** Who wants the spans of a replay. */
export interface ReplayExport {
  /** OTLP/HTTP endpoint, path included. */
  readonly url: string;
  /** Tells the report the trace that a root of this process belongs to, and whether it is that of a fork. Never throws. */
  readonly exported: (traceId: string, isFork: boolean) => void;
  /** Tells the report how many spans could not be sent, and the file that they are kept in. Never throws. */
  readonly lost: (spans: number, keptIn?: string) => void;
}

/** A process that takes part in a replay. */
export interface JoinedReplay {
  readonly replayId: string;
  /** Hand it to `watchDriver`. */
  readonly driver: WatchedDriver;
  /** Answers every call of this process; install it with `installDedicatedPlayer`. */
  readonly player: Player;
  /** Where this process stands: the position to enter before the agent's code runs. */
  readonly position: Position;
  /** What the run of this process enclosed when it was recorded: open it again just so. */
  readonly processRun: ProcessRunScope;
  /** Whether it is opened as this process ends, for it made no call when it was recorded. */
  readonly opensRunAtEnd: boolean;
  /** Hand it to `installGuard` before any code of the user runs. */
  readonly guard: GuardRequest;
  /** Hand it to `installTime` before any code of the user runs. */
  readonly time: TimeRequest;
  /** Tells the driver that a server of this process listens. Never throws. */
  readonly listening: (listening: Listening) => void;
  /** What the program reads as the number of its process; undefined: the real one. */
  readonly processId: number | undefined;
  /** The same of the process that started it. */
  readonly parentProcessId: number | undefined;
  /** Where the spans of this process are to go; undefined where nobody wants them. */
  readonly exporting: ReplayExport | undefined;
  /** How to enter the replay where a function does it; undefined where the program itself does. */
  readonly entry: JoinedEntry | undefined;
}

function openSink(directory: string): FileSink {
  try {
    return FileSink.open(directory);
  } catch (thrown) {
    if (mayNotWrite(directory)) {
      throw new ReenactError(
        'driver-failed',
        "Node.js's permissions keep this process from taking part in its replay.",
        {
          where: directory,
          next: permissionAdvice(),
          cause: thrown,
        },
      );
    }
    throw new ReenactError('driver-failed', 'The replay this process was started for is over or out of reach.', {
      where: directory,
      next: `Start the agent through \`reenact replay\`, or unset ${REPLAY_DIRECTORY_VARIABLE}.`,
      cause: thrown,
    });
  }
}

function rootIn(recording: Recording, rootSpanId: string): Crossing {
  const root = recording.bySpanId.get(rootSpanId);
  if (root !== undefined) return root;
  throw new ReenactError('not-found', `The recording of the replay holds no crossing with span id ${rootSpanId}.`, {
    where: rootSpanId,
    next: 'Start the replay again.',
  });
}

function positionIn(environment: NodeJS.ProcessEnv, player: RecordedPlayer): Position {
  const token = positionTokenIn(environment.BAGGAGE);
  const position = token === undefined ? undefined : player.positionOfToken(token);
  if (position !== undefined) return position;
  throw new ReenactError('driver-failed', 'The position in BAGGAGE was not signed by this replay.', {
    where: 'BAGGAGE',
    next: `Start the agent through \`reenact replay\`; keep BAGGAGE and ${REPLAY_DIRECTORY_VARIABLE} together when you start child processes.`,
  });
}

interface EnterOptions {
  readonly environment: NodeJS.ProcessEnv;
  readonly sink: FileSink;
  readonly stopProcess: () => void;
}

/** What all runs of this process have in common. */
function sharedByRuns(
  recording: Recording,
  root: Crossing,
): Pick<RecordedPlayerOptions, 'inStep' | 'raisedMessages' | 'givenInput'> & { readonly openRuns: OpenRuns } {
  const givenInput = givenInputOf(recording, root);
  return { openRuns: new OpenRuns(), inStep: new RunsInStep(), raisedMessages: new RaisedMessages(), givenInput };
}

/** Calls back at once where nobody asks this process anything, or the recorded one had not rested when it was asked. */
function atRest(
  isAsked: boolean,
  { recording, root }: { recording: Recording; root: Crossing },
  rested: () => void,
): void {
  if (isAsked && mayHaveRested(recording, root, pristine.performanceNow())) whenRested(rested);
  else rested();
}

function enter(directory: string, { environment, sink, stopProcess }: EnterOptions): JoinedReplay {
  const { order, lines, driver } = readReplayDirectory(directory);
  const { replayId, rootSpanId, plan, key, pace, debug } = order;
  const recording = assembleRecording(readFixture(lines));
  const root = rootIn(recording, rootSpanId);
  const debugging = debuggingOf(order, sink, directory);
  const occurrence = childOccurrence(environment);
  const options = {
    recording,
    rootSpanId,
    plan,
    replayId,
    process: 'dedicated',
    sink,
    positionKey: key,
    pace,
    arrived: debugging?.arrived,
    ...sharedByRuns(recording, root),
    servesRoot: order.entry === undefined && isOneCall(recording, root),
    claim: { take: claimIn(directory), prefers: isOccurrence(occurrence) },
  } as const;
  const ofRun = new RecordedPlayer(options);
  const told = positionIn(environment, ofRun);
  // Started inside another run than the replayed one, the process is a part of that.
  const player = playerAt({ made: options, sink }, told.cursor) ?? ofRun;
  const position = { ...told, player };
  // A function that is entered may be the code inside the boundary, named by mistake: what it calls is the run's all the same.
  const hasSetUp = setUpOf(recording, rootSpanId) !== undefined;
  const isCommand = position.cursor === undefined;
  if (isCommand && (order.entry === undefined || hasSetUp)) player.beginsHere();
  const ownRun = placeTime(player, { position, occurrence, environment, entry: order.entry, directory });
  sink.write({ type: 'joined', process: 'dedicated' });
  limitRefusals(sink, stopProcess);
  reportEnvironment(recording, rootSpanId, sink);
  const stopped = runsLive(plan) ? {} : { stopProcess };
  const entering = (fn: object): void => {
    player.entersNow();
    debugging?.entering?.(fn);
  };
  const entry = order.entry === undefined ? undefined : joinEntry({ order: order.entry, root, sink, entering });
  const isAsked = entry === undefined && isSentAgain(root);
  if (isAsked) tellRest({ player, root, sink });
  const isProgram = isCommand && entry === undefined;
  if (isProgram && !isAsked && options.givenInput === undefined) tellInputRead(sink);
  const launch = launching({ player, root, sink, isAsked, directory, stopProcess }, isProgram ? undefined : position);
  const guard = { player, scope: 'process', allowed: order.guard, directory, launch, ...stopped } as const;
  const isWatched = isProgram && debug === undefined;
  const idle = isWatched ? watchIdle({ recording, player, root, sink, stopProcess, pace, isAsked }) : undefined;
  const listening = (server: Listening): void => {
    idle?.listens();
    atRest(isAsked, { recording, root }, () => tellListening(directory, server));
  };
  const starting = { ...options, player, root, starved: () => idle?.listens(), stopProcess };
  const began = isCommand && !isAsked ? joinInput(starting) : undefined;
  return {
    replayId,
    driver: { ...driver, directory },
    exporting: order.exportUrl === undefined ? undefined : exportTo(order.exportUrl, sink),
    player: isProgram
      ? joinRuns({ player, made: options, sink, guard: order.guard, directory, stopProcess, isWatched, isAsked, began })
      : player,
    position,
    ...numbersRead(player, position),
    ...processRunOf(player.recording, { root, position, ownRun, environment, opensSetUp: hasSetUp && isCommand }),
    guard,
    time: { player, time: player.time, scope: 'process', spansLaterMs: order.spansLaterMs },
    listening,
    entry,
  };
}

/** Where a process stands, as far as it tells what its own run is. */
interface OwnRun {
  readonly root: Crossing;
  readonly position: Position;
  readonly ownRun: Crossing | undefined;
  readonly environment: NodeJS.ProcessEnv;
  readonly opensSetUp: boolean;
}

function processRunOf(recording: Recording, own: OwnRun): Pick<JoinedReplay, 'processRun' | 'opensRunAtEnd'> {
  const { root, position, ownRun, environment, opensSetUp } = own;
  return {
    processRun: opensSetUp ? 'calls' : recordedProcessRun(recording, root, position.cursor),
    opensRunAtEnd: opensRunAtEnd(recording, position.cursor, ownRun, isOfCodeThatRunsAgain(environment)),
  };
}

function numbersRead(
  { time }: RecordedPlayer,
  position: Position,
): Pick<JoinedReplay, 'processId' | 'parentProcessId'> {
  return { processId: time.processId(position), parentProcessId: time.parentProcessId(position) };
}

interface AroundRun {
  readonly player: RecordedPlayer;
  readonly root: Crossing;
  readonly sink: FileSink;
  readonly isAsked: boolean;
  readonly directory: string;
  readonly stopProcess: () => void;
}

interface OwnPlace {
  readonly position: Position;
  readonly occurrence: number | undefined;
  readonly environment: NodeJS.ProcessEnv;
  /** The function that is entered, in a program of ours. */
  readonly entry: ReplayOrder['entry'];
  /** That of the replay. */
  readonly directory: string;
}

/** Tells the time of the run which of the recorded processes this one is, and gives its run where there is no doubt. */
function placeTime({ recording, time }: RecordedPlayer, place: OwnPlace): Crossing | undefined {
  const { position, occurrence, entry, directory, environment } = place;
  const { cursor } = position;
  const isOther = entry === undefined && isOtherProgram(recording, process.argv.slice(1));
  if (cursor !== undefined) time.ownsProcess('child', isReporting(directory, process.ppid) ? process.ppid : undefined);
  else time.ownsProcess(isOther ? 'other' : 'run');
  const told = cursor === undefined ? undefined : toldNumber(environment);
  if (told !== undefined) time.knownBy(told);
  const processId = told === 'own' ? undefined : told;
  const own = certainProcessRun(recording, cursor, { typed: process.argv.slice(2), occurrence, processId });
  if (own !== undefined) time.inProcessRun(own.spanId);
  return own;
}

/** How this process may start that of the run, or, where that is where the run has started it, what was recorded there. */
function launching(
  { player, root, sink, isAsked, directory, stopProcess }: AroundRun,
  startedAt: Position | undefined,
): GuardedLaunch | undefined {
  if (startedAt !== undefined) return launchingAt(startedAt, player);
  const launch = new RunLaunch({
    recording: player.recording,
    lookUp: player.lookUp,
    root,
    isAsked,
    stopProcess,
    note: (text) => player.noteUnguarded(text),
    haveEnded: () => haveEnded(gatherReports(directory).events),
  });
  sink.listeners.add((stamped) => launch.told(stamped));
  return launch;
}

/** A process that the run has started stands there until its first call: what it starts before that was recorded beside it. */
function launchingAt(position: Position, player: RecordedPlayer): GuardedLaunch | undefined {
  if (position.cursor === undefined) return undefined;
  return { launches: () => player.startedProcesses(position), adviceFor: () => '' };
}

function debuggingOf(
  { debug, entry, rootSpanId }: ReplayOrder,
  sink: FileSink,
  directory: string,
): ReturnType<typeof joinDebugging> {
  if (debug === undefined) return undefined;
  const enteredSpanId = entry === undefined ? undefined : rootSpanId;
  return joinDebugging({ order: debug, sink, directory, enteredSpanId });
}

interface WatchedRun {
  readonly player: RecordedPlayer;
  readonly recording: Recording;
  readonly root: Crossing;
  readonly sink: FileSink;
  readonly stopProcess: () => void;
  readonly pace: Pace | undefined;
  /** See `IdleWatchOptions`. */
  readonly isAsked: boolean;
}

/**
 * Ends the program where the recording does, and where it waits for what does not come; a service that was asked for the run, where it does not answer. Gives
 * whom to tell that it listens.
 */
function watchIdle({ recording, player, root, sink, stopProcess, pace, isAsked }: WatchedRun): IdleWatch | undefined {
  const { lookUp, schedule } = player;
  // One that answered goes on behind its answer, for others.
  const end =
    isAsked && root.outcome.type !== 'pending'
      ? new RecordingEnd({ root, lookUp, schedule, sink }, stopProcess)
      : player.stopsWithRecording(stopProcess);
  // At the recorded pace nothing tells waiting from what is to come.
  if (pace === 'recorded') return undefined;
  const gapMs = longestGapMs(root, subtreeOf(player.recording, root.spanId));
  const upgrades = upgradesIn(recording, root.spanId);
  const program = ownProgram(stopProcess);
  const idle = new IdleWatch({ root, end, sink, upgrades, longestGapMs: gapMs, program, isAsked });
  sink.listeners.add((stamped) => idle.told(stamped));
  idle.start();
  return idle;
}

function exportTo(url: string, sink: FileSink): ReplayExport {
  return {
    url,
    exported: (traceId, isFork) => sink.write({ type: 'exported', traceId, isFork }),
    lost: (spans, keptIn) => sink.write({ type: 'export-lost', spans, keptIn }),
  };
}

/**
 * Called first thing in a process that may be part of a replay; undefined where it is not. Synchronous. Throws
 * ReenactError where it is but cannot take part: the caller must then stop before any agent code runs. `stopProcess`: called when the
 * replayed run has ended and the program begins another one that is not needed, or does not end.
 */
export function joinReplay(
  environment: NodeJS.ProcessEnv = process.env,
  stopProcess: () => void = () => undefined,
): JoinedReplay | undefined {
  const directory = environment[REPLAY_DIRECTORY_VARIABLE];
  if (directory === undefined || directory === '') return undefined;
  const sink = openSink(directory);
  try {
    return enter(directory, { environment, sink, stopProcess });
  } catch (thrown) {
    const error = toReenactError(thrown, 'driver-failed');
    sink.write({ type: 'failed', code: error.code, message: error.message });
    throw error;
  }
}
