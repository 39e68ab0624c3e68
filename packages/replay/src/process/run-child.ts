import { type ChildProcess, spawn } from 'node:child_process';
import { fstatSync } from 'node:fs';
import { ReenactError } from '@reenact/trace-model';
import { COMMAND_STOP_MS_MAX } from '../limits.ts';

/** How a command is run for a replay. */
export interface ChildOptions {
  /** Program and arguments. */
  readonly command: readonly string[];
  /**
   * inherit: the agent talks to the user's terminal; stderr: it reads what this process is given, and all that it prints goes to this process's
   * standard error, as if it wrote there; pipe: it is given nothing, and prints to `onOutput`, through sockets, which nobody can open by a path such as `/dev/stdout`.
   */
  readonly stdio: 'inherit' | 'stderr' | 'pipe';
  readonly onOutput?: ((text: string, stream: 'stdout' | 'stderr') => void) | undefined;
  /** Working directory of the child. Default: this process's. */
  readonly directory?: string | undefined;
  /** How long the child may go on after it was told to end, milliseconds; then it is killed. Default: `COMMAND_STOP_MS_MAX`. */
  readonly stopMsMax?: number | undefined;
}

const forwardedSignals = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

const STDIN = 0;
const STDERR = 2;

/** A program that starts the replay and reads its report, as Node.js starts one, leaves it a socket that never ends: nobody writes there. */
function isGivenInput(): boolean {
  try {
    return !fstatSync(STDIN).isSocket();
  } catch {
    return false;
  }
}

function streamsOf(stdio: ChildOptions['stdio']): ('inherit' | 'ignore' | 'pipe' | number)[] {
  switch (stdio) {
    case 'inherit':
      return ['inherit', 'inherit', 'inherit'];
    case 'stderr':
      return [isGivenInput() ? 'inherit' : 'ignore', STDERR, STDERR];
    case 'pipe':
      return ['ignore', 'pipe', 'pipe'];
  }
}

function start(options: ChildOptions, environment: NodeJS.ProcessEnv): Promise<ChildProcess> {
  const [program = '', ...parameters] = options.command;
  const failed = (cause: unknown): ReenactError =>
    new ReenactError('launch-failed', `The command "${program}" could not be started.`, {
      where: options.command.join(' '),
      next: 'Check that the program exists and may be executed, for example: -- node app.mjs',
      cause,
    });
  return new Promise((resolve, reject) => {
    if (program === '') return reject(failed(undefined));
    try {
      const child = spawn(program, parameters, {
        env: environment,
        stdio: streamsOf(options.stdio),
        ...(options.directory === undefined ? {} : { cwd: options.directory }),
      });
      child.once('spawn', () => resolve(child));
      child.once('error', (error) => reject(failed(error)));
    } catch (thrown) {
      reject(failed(thrown));
    }
  });
}

function passOutput(child: ChildProcess, onOutput: ChildOptions['onOutput']): void {
  for (const stream of ['stdout', 'stderr'] as const) {
    child[stream]?.setEncoding('utf8');
    child[stream]?.on('data', (text: string) => onOutput?.(text, stream));
  }
}

/** Resolves with how the child ended, once its output has been read to the end. */
function ended(child: ChildProcess, { stdio, stopMsMax = COMMAND_STOP_MS_MAX }: ChildOptions): Promise<string> {
  // Ctrl-C in a terminal reaches the child by itself; a second SIGINT would make many programs give up tidying.
  const isAtTerminal = stdio === 'inherit' && process.stdin.isTTY === true;
  let killing: NodeJS.Timeout | undefined;
  const forward = (signal: NodeJS.Signals): void => {
    if (!(isAtTerminal && signal === 'SIGINT')) child.kill(signal);
    // One that takes no notice would be left running, and this process with it, until somebody looks. Ctrl-C can be typed again.
    if (signal !== 'SIGINT') killing ??= setTimeout(() => child.kill('SIGKILL'), stopMsMax);
  };
  for (const signal of forwardedSignals) process.on(signal, forward);
  return new Promise((resolve) => {
    child.once('close', (code, signal) => {
      for (const name of forwardedSignals) process.off(name, forward);
      clearTimeout(killing);
      resolve(signal === null ? `exit code ${code ?? 0}` : `signal ${signal}`);
    });
  });
}

/** Told of the child once it runs; `ended` aborts when it has ended. What it gives is waited for. It must not reject. */
export type Companion = (child: ChildProcess, ended: AbortSignal) => Promise<void>;

/**
 * Runs a command to its end, signals passed on to it, and says how it ended: `exit code 0`, `signal SIGINT`. One that goes on after SIGTERM
 * or SIGHUP is killed in the end. Throws ReenactError `launch-failed`.
 */
export async function runChild(
  options: ChildOptions,
  environment: NodeJS.ProcessEnv,
  companions: readonly Companion[] = [],
): Promise<string> {
  const child = await start(options, environment);
  const end = ended(child, options);
  passOutput(child, options.onOutput);
  const over = new AbortController();
  void end.then(() => over.abort());
  await Promise.all(companions.map((companion) => companion(child, over.signal)));
  return await end;
}
