import * as childProcess from 'node:child_process';
import * as files from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { ReadableSpan } from '@opentelemetry/sdk-trace';
import {
  addressWithoutSecrets,
  atEndOfWork,
  type ClosedSpool,
  DROP_CAUSES,
  type DropCause,
  isStarterThere,
  tracesEndpoint,
} from '@reenact/instrumentation';
import { OWN_PROCESS_VARIABLE, REPLAY_DIRECTORY_VARIABLE } from '@reenact/replay/process-variables';
import { POST_AT_EXIT_MS_MAX } from '../limits.ts';
import { asProcessGoes } from './as-process-goes.ts';
import { fixtureOfSpans } from './fixture-of-spans.ts';
import type { ProcessRun } from './process-run.ts';

/** What of a recording processor is needed when the process ends. */
export interface SpanSource {
  /** Gives how many spans could not be delivered. */
  flush(): Promise<number>;
  closeSpool(): ClosedSpool;
  /** What is not known to be delivered. */
  undelivered(): readonly ReadableSpan[];
  /** Gives the spools of processes that this one, or one of them, has started and that are gone: another process is to deliver them now. */
  adoptDescendants(): string[];
  dropped(): ReadonlyMap<DropCause, number>;
  /** Why the last try to deliver failed; undefined where it did not. */
  failure(): string | undefined;
}

// Taken out of the module records, which the guard of a replay rewrites.
const { spawnSync } = { ...childProcess };
const { existsSync, mkdtempSync, rmSync, writeFileSync } = { ...files };

const posterPath = fileURLToPath(new URL('./post-spans.js', import.meta.url));
const delivererPath = fileURLToPath(new URL('./deliver-spool.js', import.meta.url));

/** Hears how many spans could not be delivered, and the file that they are kept in, where there is one. */
export type TellLost = (spans: number, keptIn?: string) => void;

/** Runs a script of ours in a process of its own, because nothing asynchronous happens any more in this one. */
function runToEnd(script: string, paths: readonly string[], environment: NodeJS.ProcessEnv): boolean {
  const replay = environment[REPLAY_DIRECTORY_VARIABLE];
  const own = replay === undefined ? {} : { [OWN_PROCESS_VARIABLE]: replay };
  const { status } = spawnSync(process.execPath, [script, ...paths], {
    env: { ...environment, ...own, NODE_OPTIONS: '', REENACT_DISABLED: '1' },
    stdio: 'ignore',
    timeout: POST_AT_EXIT_MS_MAX,
  });
  return status === 0;
}

/** Runs one of the scripts above; false where it did not end well, or was not run. */
type LastTry = (script: string, paths: readonly string[]) => boolean;

/** What happened, where spans should have gone, and why, where that is known: a wrong port is seen by this line alone. */
function undelivered(environment: NodeJS.ProcessEnv, failure: string | undefined): string {
  const why = failure === undefined ? '' : ` (${failure.trim()})`;
  const address =
    addressWithoutSecrets(tracesEndpoint(environment)) || 'their collector, whose address cannot be read,';
  return `could not be delivered to ${address} when this process ended${why}`;
}

/** What is on the disk is safe; it is delivered at once where that is possible, so that nobody has to wait for it. */
function deliver(folders: readonly string[], lastTry: LastTry, what: string): void {
  if (lastTry(delivererPath, folders)) return;
  const left = folders.filter((folder) => existsSync(folder));
  process.stderr.write(
    `reenact: recorded spans ${what}. They are kept in ${left.join(' and ')}; the next process that records to the same collector for more than a second delivers them, or \`npx reenact spool deliver\` does.\n`,
  );
}

/** Gives the file that they are kept in; undefined where they were handed over after all, or cannot be kept. */
function rescue(spans: ReadableSpan[], lastTry: LastTry, what: string): string | undefined {
  const fixture = fixtureOfSpans(spans);
  if (fixture === undefined) return undefined;
  const folder = mkdtempSync(join(tmpdir(), 'reenact-undelivered-'));
  const path = join(folder, 'spans.otlp.jsonl');
  writeFileSync(path, fixture, { mode: 0o600 });
  if (lastTry(posterPath, [path])) {
    rmSync(folder, { recursive: true, force: true });
    return undefined;
  }
  process.stderr.write(
    `reenact: ${spans.length} recorded spans ${what}. They are kept in ${path}; where they are of one run, every command takes this file in place of an id.\n`,
  );
  return path;
}

function tellDropped(dropped: ReadonlyMap<DropCause, number>): void {
  const counts = Array.from(dropped, ([cause, count]) => `${count} (${DROP_CAUSES[cause]})`);
  if (counts.length > 0) process.stderr.write(`reenact: recorded spans lost by this process: ${counts.join(', ')}\n`);
}

/** How a process hands over its last spans. */
export interface AtExitOptions {
  /** The OTEL_EXPORTER_OTLP_* variables that say where to. Default: those of this process. */
  readonly environment?: NodeJS.ProcessEnv;
  /** Hears of spans that reached nobody. */
  readonly tellLost?: TellLost;
  /** Whether the run of a process that made no call is left in the spool, or out without one, where who has started it is still there. Default: false. */
  readonly leavesQuietRuns?: boolean;
}

/**
 * Whether there is nothing to hand over but that this process was started and how it ended. That is no reason to hold up who waits for it, nor to
 * write to a stream that it reads: who has started it delivers it as what a descendant left.
 */
function isLeftToStarter(source: SpanSource, run: ProcessRun): boolean {
  return run.wasQuiet() && isStarterThere(process.env) && source.undelivered().length <= 1;
}

/**
 * Sees to it that a process does not take its last spans with it (docs/adr/0018): flushes when the work of the process is over, and
 * hands over what is left when the process is really going, unless that flush has failed. Returns how to take back what is replaced of the
 * platform. Never throws into the host.
 */
export function deliverAtExit(source: SpanSource, run: ProcessRun, options: AtExitOptions = {}): () => void {
  const { environment = process.env, tellLost = () => undefined, leavesQuietRuns = false } = options;
  let isReceiverAway = false;
  // Nobody is to wait for a receiver a second time that a process which ran out of work has just tried in vain.
  const lastTry: LastTry = (script, paths) => !isReceiverAway && runToEnd(script, paths, environment);
  const isLeft = (): boolean => leavesQuietRuns && isLeftToStarter(source, run);
  atEndOfWork((code) => {
    run.end(code);
    if (isLeft()) return;
    void source.flush().then((left) => {
      // What is on the disk only is another matter: the last try delivers that.
      isReceiverAway = left > 0 && source.failure() !== undefined;
    });
  });
  return asProcessGoes((code) => {
    try {
      run.end(code);
      const isLeftNow = isLeft();
      const { folder, unsaved } = source.closeSpool();
      if (isLeftNow) return;
      const what = undelivered(environment, source.failure());
      // Where nobody takes them they stay whose they are.
      const folders = [...(folder === undefined ? [] : [folder]), ...(isReceiverAway ? [] : source.adoptDescendants())];
      if (folders.length > 0) deliver(folders, lastTry, what);
      const keptIn = unsaved.length > 0 ? rescue(unsaved, lastTry, what) : undefined;
      if (keptIn !== undefined) tellLost(unsaved.length, keptIn);
      const dropped = source.dropped();
      tellDropped(dropped);
      const lost = Array.from(dropped).filter(([cause]) => cause !== 'payload-refused');
      if (lost.length > 0) tellLost(lost.reduce((sum, [, count]) => sum + count, 0));
    } catch (error) {
      process.stderr.write(`reenact: the last recorded spans could not be kept: ${String(error)}\n`);
    }
  });
}
