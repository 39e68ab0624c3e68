import { basename } from 'node:path';
import { foreignTarget, type OwnProcesses, pristine } from '@reenact/instrumentation';

/** Programs that send signals to the processes whose numbers they are given. */
const killers: ReadonlySet<string> = new Set(['kill', 'taskkill']);
/** These tell of processes by their numbers only. */
const askers: ReadonlySet<string> = new Set(['ps', 'tasklist']);
/** What stands behind these is a signal. */
const signalFlags: ReadonlySet<string> = new Set(['-s', '-n']);

/** A program and its words, as `commandOf` gives them. */
type Command = readonly [string, ...string[]] | undefined;

function nameOf(program: string): string {
  return basename(program).replace(/\.exe$/i, '');
}

/** The numbers of processes that a program is to end; that of a group, which is negative, without its sign. */
function targetsOf([program, ...words]: NonNullable<Command>): number[] {
  if (!killers.has(nameOf(program))) return [];
  const isTarget = (word: string, index: number): boolean =>
    /^-?\d+$/.test(word) && !(index === 0 && word.startsWith('-')) && !signalFlags.has(words[index - 1] ?? '');
  return words.filter(isTarget).map((word) => Math.abs(Number(word)));
}

/** The processes of somebody else that a program is to end: by a recorded number it reaches whoever has that now. */
export function strangersOf(command: Command, own: OwnProcesses): number[] {
  if (command === undefined) return [];
  return targetsOf(command).filter((target) => foreignTarget([target, 'SIGTERM'], own) !== undefined);
}

function realNumber(recorded: number, own: OwnProcesses): number | undefined {
  return recorded === process.pid ? pristine.processId : own.numberOf(recorded);
}

/**
 * The parameters of a call that starts such a program, with the numbers that processes have now which the program knows by the recorded ones: its own, and those that it has
 * started.
 */
export function withRealNumbers(parameters: readonly unknown[], command: Command, own: OwnProcesses): unknown[] {
  const name = command === undefined ? '' : nameOf(command[0]);
  if (!killers.has(name) && !askers.has(name)) return [...parameters];
  const inText = (value: unknown): unknown =>
    typeof value === 'string'
      ? value.replaceAll(
          /(?<=^|\s)(-?)(\d+)(?=\s|$)/g,
          (_, sign: string, number: string) => `${sign}${realNumber(Number(number), own) ?? number}`,
        )
      : value;
  return parameters.map((value) => (Array.isArray(value) ? value.map(inText) : inText(value)));
}
