import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type EntryOrder, entryLine, findConfigFile, resolveReference } from '@reenact/replay';
import {
  type Crossing,
  crossingLabel,
  isEnterable,
  isStartUntold,
  needsEntry,
  type Recording,
  ReenactError,
  recordedCommand,
} from '@reenact/trace-model';
import { CONFIG_VARIABLE, namedConfig } from '../replaying/configure-from-file.ts';
import { ownCommand } from '../terminal/own-command.ts';

/** Flags that say which function enters a replay. */
export interface EntryFlags {
  readonly config?: string;
  readonly entry?: string;
}

/** How a replay is entered: by a command, or by a function in a process of our own. */
export interface Entering {
  readonly command: readonly string[];
  readonly entry: EntryOrder | undefined;
}

/** The program of a replay that a function enters. */
const runnerPath = fileURLToPath(import.meta.resolve('../replaying/run-entry.js'));

/** The configuration that the flag names, else the one that the environment does; undefined where neither does. */
function explicitConfig({ config }: EntryFlags, folder: string): string | undefined {
  const file = config === undefined ? namedConfig(process.env, folder) : resolve(folder, config);
  if (file === undefined || existsSync(file)) return file;
  const where = config === undefined ? CONFIG_VARIABLE : '--config';
  throw new ReenactError('bad-config', `There is no configuration ${file}.`, {
    where,
    next: `Correct the path, or leave ${where} out: reenact.config.ts is looked for from here upwards.`,
  });
}

function orderOf(flags: EntryFlags, folder: string): EntryOrder | undefined {
  if (flags.entry !== undefined) {
    const { file, name } = resolveReference(flags.entry, folder);
    return { reference: `${file}#${name}` };
  }
  const config = explicitConfig(flags, folder) ?? findConfigFile(folder);
  return config === undefined ? undefined : { config };
}

interface WithoutCommand {
  readonly root: Crossing | undefined;
  readonly isRoot: boolean;
  readonly command: string;
  /** Whether the command is known to begin the run, or nothing says that it does not. */
  readonly isBegunByCommand: boolean;
  readonly line: string;
}

/** A run that no command begins again, as one of a worker thread, is entered by its function; a command is only the second thing to try. */
function nextWithoutCommand({ root, isRoot, command, isBegunByCommand, line }: WithoutCommand): string {
  if (!isEnterable(root)) return command;
  if (!isRoot) return `To re-run ${root.path}, ${line}`;
  if (isBegunByCommand) return `${command}\nOr ${line}`;
  const byFunction = `No recorded command begins it again, as of a run in a worker thread or one that a message began. Name its function: --entry '<file>#<function>', or ${line}`;
  return `${byFunction}\nWhere a program of yours makes this run itself: ${command.replace(/^Give it/, 'give it')}`;
}

/** The run that a crossing is a part of; of a run, itself. */
function runAround({ bySpanId }: Pick<Recording, 'bySpanId'>, spanId: string): string {
  const parent = bySpanId.get(spanId)?.parentSpanId;
  return parent === undefined || !bySpanId.has(parent) ? spanId : runAround({ bySpanId }, parent);
}

function noCommand(recording: Recording, rootSpanId: string): ReenactError {
  const root = recording.bySpanId.get(rootSpanId);
  const isRoot = recording.roots.some(({ spanId }) => spanId === rootSpanId);
  const runId = runAround(recording, rootSpanId);
  const isOnlyEntered = needsEntry(recording.bySpanId.get(runId));
  const recorded = isOnlyEntered ? undefined : recordedCommand(recording);
  const isBegunByCommand = recorded !== undefined || (!isOnlyEntered && isStartUntold(recording));
  const command =
    recorded === undefined
      ? `Give it after two dashes: ${ownCommand()} replay ${runId} -- node app.mjs`
      : `Give it after two dashes, as it was started when it was recorded: ${ownCommand()} replay ${runId} -- ${recorded}`;
  const line = isEnterable(root)
    ? `map it to its function in reenact.config.ts: ${entryLine(crossingLabel(root))}`
    : '';
  return new ReenactError('bad-argument', 'There is no command to start your agent with.', {
    next: nextWithoutCommand({ root, isRoot, command, isBegunByCommand, line }),
  });
}

/**
 * Decides how a replay is entered. A command re-runs a whole run; without one, and for a part of a run, a function of the user
 * does. Loads nothing of the user: only the replay's own process may. Throws ReenactError `bad-argument` or `bad-config`.
 */
export function enteringOf(
  recording: Recording,
  rootSpanId: string,
  command: readonly string[],
  flags: EntryFlags,
  folder: string = process.cwd(),
): Entering {
  if (flags.entry !== undefined && command.length > 0) {
    throw new ReenactError('bad-argument', 'Both --entry and a command say how the replay is entered.', {
      where: '--entry',
      next: 'Leave one of them out.',
    });
  }
  // Also where it is not needed: a path that leads nowhere is a mistake that should not wait for the day it matters.
  explicitConfig(flags, folder);
  const isRoot = recording.roots.some(({ spanId }) => spanId === rootSpanId);
  if (isRoot && command.length > 0) return { command, entry: undefined };
  const entry = orderOf(flags, folder);
  if (entry !== undefined) return { command: [process.execPath, runnerPath], entry };
  if (command.length === 0) throw noCommand(recording, rootSpanId);
  return { command, entry: undefined };
}
