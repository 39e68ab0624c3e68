import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, openSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { eventually } from '../testbed.ts';
import type { Witness } from './killed-run.ts';

const PROGRAM = fileURLToPath(new URL('killed-agent.ts', import.meta.url));

/** One process that is started and killed. */
export interface KillRound {
  readonly number: number;
  readonly seed: number;
  /** Base URL that it exports to; a collector may be there or not. */
  readonly exportUrl: string;
  readonly spoolFolder: string;
  readonly scratchFolder: string;
}

function start({ seed, exportUrl, spoolFolder }: KillRound, output: number): ChildProcess {
  const environment = Object.entries(process.env).filter(
    ([name]) => !/^(OTEL_|REENACT_|NODE_OPTIONS$|VITEST)/.test(name),
  );
  return spawn(process.execPath, ['--import', 'reenact/register', PROGRAM, String(seed)], {
    cwd: fileURLToPath(new URL('.', import.meta.url)),
    stdio: ['ignore', output, 'ignore'],
    env: {
      ...Object.fromEntries(environment),
      OTEL_EXPORTER_OTLP_ENDPOINT: exportUrl,
      REENACT_SPOOL_DIR: spoolFolder,
    },
  });
}

/**
 * How many crossings a process tells of before it is killed, as the seed decides: some die before their first export, some after several. What
 * time it is then says nothing: a process that has to wait for a processor has come nowhere in half a second.
 */
function crossingsBefore(seed: number): number {
  return 1 + ((Math.imul(seed, 2_654_435_761) >>> 0) % 500);
}

function linesOf(path: string): string[] {
  // The last line may be cut in the middle: then its write had not come back.
  return readFileSync(path, 'utf8').split('\n').slice(0, -1);
}

/** Starts a process, kills it when it has come as far as its seed decides, and gives what its host had by then. */
export async function killOnce(round: KillRound): Promise<Witness[]> {
  const path = join(round.scratchFolder, `witness-${round.number}.jsonl`);
  const output = openSync(path, 'a');
  const child = start(round, output);
  closeSync(output);
  const exited = once(child, 'exit');
  const count = crossingsBefore(round.seed);
  await eventually(`${count} crossings`, async () => linesOf(path).length >= count, 300_000);
  // Nothing handles a SIGTERM in this process either: for what it recorded that is the same end.
  child.kill(round.number % 4 === 3 ? 'SIGTERM' : 'SIGKILL');
  await exited;
  return linesOf(path).map((line) => JSON.parse(line) as Witness);
}
