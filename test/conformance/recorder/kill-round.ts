import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, openSync, readFileSync, statSync } from 'node:fs';
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

/** A moment that the seed decides, milliseconds after the first crossing; from before the first export to after several. */
function momentMs(seed: number): number {
  return (Math.imul(seed, 2_654_435_761) >>> 0) % 500;
}

/** Starts a process, kills it at the moment that its seed decides, and gives what its host had by then. */
export async function killOnce(round: KillRound): Promise<Witness[]> {
  const path = join(round.scratchFolder, `witness-${round.number}.jsonl`);
  const output = openSync(path, 'a');
  const child = start(round, output);
  closeSync(output);
  const exited = once(child, 'exit');
  await eventually('the first crossing', async () => statSync(path).size > 0, 120_000);
  await new Promise((resolve) => setTimeout(resolve, momentMs(round.seed)));
  // Nothing handles a SIGTERM in this process either: for what it recorded that is the same end.
  child.kill(round.number % 4 === 3 ? 'SIGTERM' : 'SIGKILL');
  await exited;
  const lines = readFileSync(path, 'utf8').split('\n');
  // The last line may be cut in the middle: then its write had not come back.
  return lines.slice(0, -1).map((line) => JSON.parse(line) as Witness);
}
