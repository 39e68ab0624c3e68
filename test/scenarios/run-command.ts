import { type ChildProcess, spawn } from 'node:child_process';

/** How a command ended and what it printed. */
export interface CommandResult {
  readonly exitCode: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** Where and with what a command runs. */
export interface CommandOptions {
  readonly cwd: string;
  readonly environment: NodeJS.ProcessEnv;
}

function start(command: readonly string[], { cwd, environment }: CommandOptions): ChildProcess {
  const [program, ...parameters] = command;
  return spawn(program ?? '', parameters, { cwd, env: environment, stdio: ['ignore', 'pipe', 'pipe'] });
}

function collect(child: ChildProcess, stream: 'stdout' | 'stderr'): () => string {
  const parts: Buffer[] = [];
  child[stream]?.on('data', (part: Buffer) => parts.push(part));
  return () => Buffer.concat(parts).toString('utf8');
}

/** Runs one command to its end. */
export function runCommand(command: readonly string[], options: CommandOptions): Promise<CommandResult> {
  const child = start(command, options);
  const [stdout, stderr] = [collect(child, 'stdout'), collect(child, 'stderr')];
  return new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('close', (exitCode) => resolve({ exitCode: exitCode ?? 1, stdout: stdout(), stderr: stderr() }));
  });
}

/** A command that goes on until it is stopped. */
export interface RunningCommand {
  /** The first line it printed. */
  readonly firstLine: string;
  readonly processId: number;
  /** What it has written to its standard error until now. */
  errors(): string;
  /** Asks it to end, with SIGTERM unless another signal is named, and waits until it has. */
  stop(signal?: NodeJS.Signals): Promise<CommandResult>;
  /** Resolves when it has ended, by itself or asked to. */
  readonly ended: Promise<CommandResult>;
}

/** Starts a command and waits for its first line; rejects with what it said where it ends before. */
export function startCommand(command: readonly string[], options: CommandOptions): Promise<RunningCommand> {
  const child = start(command, options);
  const [stdout, stderr] = [collect(child, 'stdout'), collect(child, 'stderr')];
  const ended = new Promise<CommandResult>((resolve) => {
    child.once('close', (exitCode) => resolve({ exitCode: exitCode ?? 1, stdout: stdout(), stderr: stderr() }));
  });
  return new Promise((resolve, reject) => {
    child.once('error', reject);
    void ended.then((result) =>
      reject(new Error(`${command.join(' ')} ended early: ${result.stderr}${result.stdout}`)),
    );
    child.stdout?.on('data', () => {
      const end = stdout().indexOf('\n');
      if (end === -1) return;
      const stop = (signal: NodeJS.Signals = 'SIGTERM'): Promise<CommandResult> => {
        child.kill(signal);
        return ended;
      };
      resolve({ firstLine: stdout().slice(0, end), processId: child.pid ?? 0, errors: stderr, stop, ended });
    });
  });
}
