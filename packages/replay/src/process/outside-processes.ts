import { existsSync, readdirSync, readFileSync, readlinkSync } from 'node:fs';
import { basename, join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { reportFileName } from '../events/event-sink.ts';
import { EMPTY_LOOKS_MAX, JOIN_LOOKS_MAX, PROCESS_POLL_MS } from '../limits.ts';
import { OWN_PROCESS_VARIABLE, REPLAY_DIRECTORY_VARIABLE } from '../process-variables.ts';
import { bunOption, loadsHook } from './child-environment.ts';
import { isDenoRunner, OTHER_RUNTIMES } from './other-runtimes.ts';

/** What to watch, and how to know who takes part. */
export interface WatchOptions {
  /** Process id of the replay's first process; it and everything below it is watched. */
  readonly rootProcessId: number;
  /** The replay's directory, where a process that joins makes its report file. */
  readonly directory: string;
  /** The module that makes a process join, as NODE_OPTIONS names it. */
  readonly registerUrl: string;
  /** Told once of each process of Node.js, Bun or Deno that takes no part. It is running real code now. */
  readonly onOutside: (process: OutsideProcess) => void;
}

/** A process below the replay's command that runs code and does not take part in the replay. */
export interface OutsideProcess {
  readonly processId: number;
  /** Its command line, as the system gives it. */
  readonly command: string;
  /** The runtime that it is instead of Node.js, as people call it. */
  readonly runtime?: string;
}

const processes = '/proc';
const nodePrograms: ReadonlySet<string> = new Set(['node', 'nodejs', basename(process.execPath)]);

function runsCode(program: string): boolean {
  return nodePrograms.has(basename(program)) || OTHER_RUNTIMES.has(basename(program));
}

/** Whether this system shows the environment of other processes, without which there is no telling who lost the hook. */
export function canWatchProcesses(): boolean {
  return existsSync(join(processes, 'self', 'environ'));
}

/** A process may end at any moment, and one of another user cannot be looked at: both give undefined. */
function attempt<T>(read: () => T): T | undefined {
  try {
    return read();
  } catch {
    return undefined;
  }
}

function readParts(processId: number, name: 'environ' | 'cmdline'): readonly string[] | undefined {
  const text = attempt(() => readFileSync(join(processes, `${processId}`, name), 'utf8'));
  return text?.split('\0').filter((part) => part !== '');
}

function childrenOf(processId: number): number[] {
  const tasks = join(processes, `${processId}`, 'task');
  return (attempt(() => readdirSync(tasks)) ?? []).flatMap((task) => {
    const text = attempt(() => readFileSync(join(tasks, task, 'children'), 'utf8'));
    return (text ?? '').split(' ').map(Number).filter(Number.isInteger).filter(Boolean);
  });
}

type Standing = 'inside' | 'outside' | 'seems-outside' | 'undecided' | 'gone';

/** How many looks in a row it takes until a standing is believed. */
const looksNeeded = { outside: 2, 'seems-outside': EMPTY_LOOKS_MAX, undecided: JOIN_LOOKS_MAX } as const;

function programOf(processId: number): string | undefined {
  return attempt(() => readlinkSync(join(processes, `${processId}`, 'exe')));
}

/** Whether a command line may load the hook without NODE_OPTIONS. */
function loadsModules(command: readonly string[]): boolean {
  return command.some((part) => /^(-r|--require|--import|--experimental-loader|--loader)(=|$)/.test(part));
}

/**
 * The environment a program was started with decides: with it, Node.js loads the hook before any code of the user. A shell is
 * undecided for as long as it is there, for it turns into what it runs.
 */
function standingOf(processId: number, options: WatchOptions): Standing {
  const program = programOf(processId);
  if (program === undefined) return 'gone';
  if (!runsCode(program)) return 'undecided';
  const environment = readParts(processId, 'environ');
  const command = readParts(processId, 'cmdline');
  // While one program turns into another these three are of either, and on a busy machine both lists are empty for a while.
  if (environment === undefined || command === undefined || programOf(processId) !== program) return 'undecided';
  if (command.length === 0) return 'undecided';
  const hasDirectory = environment.includes(`${REPLAY_DIRECTORY_VARIABLE}=${options.directory}`);
  if (OTHER_RUNTIMES.has(basename(program))) {
    const bunOptions = environment.find((part) => part.startsWith('BUN_OPTIONS='));
    // Bun then loads what refuses to run anything; what it starts is looked at by itself.
    const isHarmless = hasDirectory && bunOptions?.includes(bunOption(options.registerUrl)) === true;
    if (basename(program) === 'deno' ? isDenoRunner(command) : isHarmless) return 'inside';
    return environment.length === 0 ? 'seems-outside' : 'outside';
  }
  const nodeOptions = environment.find((part) => part.startsWith('NODE_OPTIONS='));
  if (hasDirectory && nodeOptions !== undefined && loadsHook(nodeOptions, options.registerUrl)) return 'inside';
  if (environment.includes(`${OWN_PROCESS_VARIABLE}=${options.directory}`)) return 'inside';
  if (existsSync(join(options.directory, reportFileName(`${processId}`)))) return 'inside';
  if (environment.length === 0) return 'seems-outside';
  return hasDirectory && loadsModules(command) ? 'undecided' : 'outside';
}

/** Watches one replay's processes; made to be asked again and again. */
class ProcessWatch {
  private readonly options: WatchOptions;
  private readonly known = new Set<number>();
  private readonly settled = new Set<number>();
  /** Looks in which a Node.js process was seen and could not be told inside. */
  private readonly doubts = new Map<number, number>();

  constructor(options: WatchOptions) {
    this.options = options;
  }

  look(): void {
    // A process whose parent has ended hangs elsewhere in the tree, so those seen before are looked at by themselves.
    const pending = [this.options.rootProcessId, ...this.known];
    const looked = new Set<number>();
    for (let processId = pending.pop(); processId !== undefined; processId = pending.pop()) {
      if (looked.has(processId)) continue;
      looked.add(processId);
      if (programOf(processId) === undefined) {
        this.known.delete(processId);
        continue;
      }
      this.known.add(processId);
      pending.push(...childrenOf(processId));
      if (!this.settled.has(processId)) this.judge(processId);
    }
  }

  private judge(processId: number): void {
    const standing = standingOf(processId, this.options);
    if (standing === 'gone') return;
    if (standing !== 'inside') {
      const program = programOf(processId);
      if (program === undefined || !runsCode(program)) return;
      const looks = (this.doubts.get(processId) ?? 0) + 1;
      this.doubts.set(processId, looks);
      if (looks < looksNeeded[standing]) return;
    }
    this.settled.add(processId);
    if (standing === 'inside') return;
    const runtime = OTHER_RUNTIMES.get(basename(programOf(processId) ?? ''));
    const command = (readParts(processId, 'cmdline') ?? []).join(' ');
    this.options.onOutside({ processId, command, ...(runtime !== undefined && { runtime }) });
  }
}

/**
 * Watches the processes of a replay until `ended`. Tells of each Node.js process that lost the hook, as where a script between the command and the agent takes
 * `NODE_OPTIONS` away, and of each process of another runtime. Such a process would call models and tools for real. It is seen within
 * some {@link PROCESS_POLL_MS} of its start. Only where {@link canWatchProcesses}. Never throws.
 */
export async function watchProcesses(options: WatchOptions, ended: AbortSignal): Promise<void> {
  if (!canWatchProcesses()) return;
  const watch = new ProcessWatch(options);
  while (!ended.aborted) {
    watch.look();
    await wait(PROCESS_POLL_MS, undefined, { signal: ended }).catch(() => undefined);
  }
}
