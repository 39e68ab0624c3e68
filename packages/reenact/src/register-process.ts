import { extname } from 'node:path';
import { fileURLToPath } from 'node:url';
import {
  gate,
  installDedicatedPlayer,
  isSwitchedOff,
  prepareRedaction,
  reportEarlyTracer,
  reportSettingTraps,
  requireUsableRules,
  trapLog,
} from '@reenact/instrumentation';
import type { JoinedReplay } from '@reenact/replay';
import { REPLAY_ALLOW_VARIABLE, REPLAY_DIRECTORY_VARIABLE } from '@reenact/replay/process-variables';
import { claimRegistration, describeError, toReenactError } from '@reenact/trace-model';
import { keepDoctorInformed } from './doctor/doctor-witness.ts';
import { loadedPackages, watchModules } from './doctor/module-watch.ts';
import { serviceNameOf } from './recording/detect-environment.ts';
import { hideOwnGlobals } from './recording/hide-own-globals.ts';
import { installInstrumentations } from './recording/install-instrumentations.ts';
import { installedUntilNext } from './recording/installed-until-next.ts';
import { joinApiCopy } from './recording/join-api-copy.ts';
import { logDiagnostics } from './recording/log-diagnostics.ts';
import { isOwnCommandLine } from './recording/own-command-line.ts';
import { prepareExport } from './recording/replay-export.ts';
import { startRecording, startReplaying } from './recording/start-recording.ts';
import { configureFromFile, namedConfig } from './replaying/configure-from-file.ts';
import { keepJoinedEntry } from './replaying/joined-entry.ts';
import { loadReplay } from './replaying/load-replay.ts';

/** What a worker thread of a replay loads first. */
const threadHook = fileURLToPath(new URL(`./register-thread${extname(import.meta.url)}`, import.meta.url));

/** Lets replays come in beside ordinary traffic, where this process was started with that allowed. */
function allowSharedReplays(): void {
  if (process.env[REPLAY_ALLOW_VARIABLE] === undefined) return;
  try {
    const { prepareGuard, prepareTime, SharedReplays, sharedReplaySettings } = loadReplay();
    const settings = sharedReplaySettings(process.env);
    if (settings === undefined) return;
    const replays = new SharedReplays(settings, serviceNameOf(process.env));
    // Before any code of the user runs, and below the instrumentations.
    prepareTime();
    prepareGuard();
    // Last: where one of these fails, no position may count in this process, because nothing would guard it.
    gate.configure({ positionReader: (token) => replays.positionOfToken(token) });
  } catch (thrown) {
    // What cannot be used allows nothing; it must not keep the service from starting, or from being recorded.
    const error = toReenactError(thrown);
    process.stderr.write(`reenact: no replay can come in here. ${error.code} ${describeError(error)}\n`);
  }
}

/** Puts the user's rules in force in a replay: their file is code of the user, which only runs guarded. */
function configureGuarded({ guard }: JoinedReplay): void {
  // What is exported of a replay names the rules in force, and is looked up before the guard of the whole process.
  if (namedConfig(process.env) === undefined) return;
  const liftGuard = loadReplay().installGuard(guard);
  try {
    configureFromFile(process.env);
  } finally {
    liftGuard();
  }
}

/** The replay whose driver started this process, set up for it; undefined where there is none. */
function enterReplay(): JoinedReplay | undefined {
  if (process.env[REPLAY_DIRECTORY_VARIABLE] === undefined) return undefined;
  hideOwnGlobals();
  const { installGuard, installTime, joinReplay, watchDriver } = loadReplay();
  const replay = joinReplay(process.env, () => process.exit());
  if (replay === undefined) return undefined;
  requireUsableRules(process.env);
  // Tokens need the user's key, and the guard of a replay lets no file be read.
  prepareRedaction();
  configureGuarded(replay);
  // What it looks up about this process is no part of the replay, and would be refused in it.
  const exporting = replay.exporting === undefined ? undefined : prepareExport(replay.exporting, replay);
  watchDriver(replay.driver);
  installDedicatedPlayer(replay.player);
  // The guard stands above: it judges what is called where it is called.
  installTime(replay.time);
  installGuard({ ...replay.guard, threadHook });
  startReplaying(replay, exporting);
  keepJoinedEntry(replay.entry);
  return replay;
}

/** Throws where rules cannot be used, once whatever else is wrong with the variables has been told: all is mended in one go. */
function requireRules(environment: NodeJS.ProcessEnv): void {
  try {
    requireUsableRules(environment);
  } catch (thrown) {
    trapLog.reportTold('variable-value', toReenactError(thrown).message);
    reportSettingTraps(environment);
    throw thrown;
  }
}

/** Records, or replays where `reenact replay` started this process. Loading it twice is a no-op. */
function register(): void {
  if (!claimRegistration()) return;
  logDiagnostics(process.env, process.stderr);
  keepDoctorInformed(process.env, (code) => process.exit(code));
  const replay = enterReplay();
  if (replay === undefined) {
    if (isSwitchedOff(process.env)) return;
    // With NODE_OPTIONS set for a whole shell: a collector that recorded what it receives would feed itself for ever.
    if (isOwnCommandLine(process.argv[1])) return;
    hideOwnGlobals();
    // Before anything is recorded: rules that cannot be used leave the process unrecorded, and never recorded without them.
    requireRules(process.env);
    configureFromFile(process.env);
    reportEarlyTracer();
    watchModules();
    loadedPackages.joinBy(joinApiCopy);
    installedUntilNext(() => {
      const stopRecording = startRecording();
      allowSharedReplays();
      const unpatch = installInstrumentations(undefined);
      return () => {
        unpatch();
        stopRecording();
      };
    });
    return;
  }
  installInstrumentations(replay.listening);
}

try {
  register();
} catch (thrown) {
  const error = toReenactError(thrown);
  process.stderr.write(`✗ ${error.code} ${describeError(error)}\n`);
  // A replay that cannot be set up must not let the agent run live. Recording must never stop its host.
  if (process.env[REPLAY_DIRECTORY_VARIABLE] !== undefined) process.exit(2);
  // Settings are read before anything is recorded.
  const what =
    error.code === 'bad-config' ? 'is not recorded: nothing is kept or sent' : 'is not recorded as it should be';
  process.stderr.write(`reenact: this process runs on, and ${what}.\n`);
}
