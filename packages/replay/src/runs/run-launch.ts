import { basename, parse } from 'node:path';
import { ATTR_PROCESS_COMMAND_ARGS } from '@reenact/semconv/core';
import type { Crossing, Recording } from '@reenact/trace-model';
import type { StampedEvent } from '../events/replay-event.ts';
import type { LookUp } from '../player/look-up.ts';

/** Flags of Node.js whose value may be the next word. */
const VALUE_FLAGS: ReadonlySet<string> = new Set([
  ...['--import', '-r', '--require', '--loader', '--experimental-loader', '-C', '--conditions'],
  ...['--env-file', '--env-file-if-exists', '--title'],
]);
/** With these the words behind are no script's. */
const CODE_FLAGS: ReadonlySet<string> = new Set(['-e', '--eval', '-p', '--print', '-pe']);

/** Script and what was typed after it, out of the words behind `node`; undefined where there is no script. */
function programWords(words: readonly string[]): readonly string[] | undefined {
  let index = 0;
  for (let word = words[0]; word?.startsWith('-') === true; word = words[index]) {
    if (CODE_FLAGS.has(word)) return undefined;
    index += VALUE_FLAGS.has(word) ? 2 : 1;
  }
  return index < words.length ? words.slice(index) : undefined;
}

/** The same program may lie elsewhere on the machine of the replay: its script counts by its name. */
function isSameProgram(recorded: readonly string[], started: readonly string[]): boolean {
  const [script = '', ...typed] = recorded;
  const [startedScript = '', ...startedTyped] = started;
  return (
    basename(script) === basename(startedScript) &&
    typed.length === startedTyped.length &&
    typed.every((word, index) => word === startedTyped[index])
  );
}

function recordedWords({ resource }: Pick<Recording, 'resource'>): readonly string[] | undefined {
  const words = resource.get(ATTR_PROCESS_COMMAND_ARGS);
  if (!Array.isArray(words) || !words.every((word) => typeof word === 'string')) return undefined;
  return programWords(words.slice(1));
}

/**
 * Whether a process is another program than that of the run, by the name of its script: one that only starts it, as `tsx` and `nodemon` do. `own`: its
 * script and what was typed behind that. False where the recording does not say its script.
 */
export function isOtherProgram(recording: Pick<Recording, 'resource'>, own: readonly string[]): boolean {
  const recorded = recordedWords(recording)?.[0];
  // Compiled or not, it is the same.
  return recorded !== undefined && parse(recorded).name !== parse(own[0] ?? '').name;
}

/** What decides whether a process may start the one in which the run was recorded. */
export interface RunLaunchOptions {
  readonly recording: Pick<Recording, 'resource'>;
  readonly root: Crossing;
  readonly lookUp: Pick<LookUp, 'metElsewhere'>;
  /** Whether a request begins the run: of several processes that serve, it comes to one. */
  readonly isAsked: boolean;
  readonly note: (text: string) => void;
  /** Whether all processes that had a part in the run have ended. */
  readonly haveEnded: () => boolean;
  /** Ends this process. */
  readonly stopProcess: () => void;
}

/**
 * Lets a command start the process of the run, as one does that starts itself again with other flags, watches its child or serves by
 * workers: the child takes part in the replay as the command would. Only a process that has done nothing of the run may, and what it
 * calls afterwards is none of it: the run is somebody else's then.
 */
export class RunLaunch {
  private readonly options: RunLaunchOptions;
  private readonly recorded: readonly string[] | undefined;
  private hasBegun = false;
  private hasLaunched = false;

  constructor(options: RunLaunchOptions) {
    this.options = options;
    this.recorded = recordedWords(options.recording);
  }

  /** Told of everything that is reported by this process. */
  told({ event }: Pick<StampedEvent, 'event'>): void {
    if (event.type === 'met') this.hasBegun = true;
  }

  /** What to do where it is not; nothing where this process, by its own words, is the run's. */
  adviceFor(own: readonly string[]): string {
    const { recorded } = this;
    if (recorded === undefined || this.hasLaunched || isSameProgram(recorded, own)) return '';
    return `The run was recorded in a process of its own: replay it with that as command, node ${recorded.join(' ')}.`;
  }

  /** Whether a Node.js program that takes part is the run's own; `words`: those behind the program. It is taken to be started then. */
  launches(words: readonly string[]): boolean {
    const started = programWords(words);
    if (this.hasBegun || started === undefined || this.recorded === undefined) return false;
    if (this.hasLaunched && !this.options.isAsked) return this.stopsBefore(started);
    if (!isSameProgram(this.recorded, started)) return false;
    if (!this.hasLaunched) this.handOver(started);
    this.hasLaunched = true;
    return true;
  }

  /** Once the run is over its command has nothing more to do, as one that starts what has died again. Gives false where it goes on. */
  private stopsBefore([script = '']: readonly string[]): false {
    const { root, note, haveEnded, stopProcess } = this.options;
    if (!haveEnded()) return false;
    note(
      `After the process of ${root.path} had ended the command went on to start ${basename(script)}: it was stopped there.`,
    );
    stopProcess();
    return false;
  }

  private handOver(started: readonly string[]): void {
    const { root, lookUp, note } = this.options;
    lookUp.metElsewhere(root);
    note(
      `The command started the process of ${root.path}, ${basename(started[0] ?? '')}: that was replayed, and what the command does around it was not compared.`,
    );
  }
}
