import { basename } from 'node:path';
import { NODE_PROGRAM } from '@reenact/trace-model';

/** Start of the place of a program that was started. */
export const PROGRAM_PLACE = 'program ';

const shellPattern = /^(?:sh|bash|dash|zsh|cmd\.exe)$/;
/** What may be Node.js in the end. */
const nodePattern = /(?:^|[\s/"'\\])(?:node(?:\.exe)?)(?=$|[\s"';&|)])/;

function nameOf(path: string): string {
  return basename(path.replaceAll('\\', '/'));
}

/** The first word of a line for a shell, which may hold secrets further on. */
function firstWord(line: string): string {
  return nameOf(/^[\s("']*([^\s"';&|()<>]+)/.exec(line)?.[1] ?? 'sh');
}

/**
 * The name of a program that is about to be started, by its file and arguments, or by the line that a shell is given; `NODE_PROGRAM` where
 * it is Node.js, or may be in the end.
 */
export function startedProgram(file: unknown, parameters: readonly unknown[] = []): string | undefined {
  if (typeof file !== 'string') return undefined;
  const line = parameters.at(-1);
  const isLine = shellPattern.test(nameOf(file)) && parameters.includes('-c') && typeof line === 'string';
  if (isLine) return startedByLine(line);
  return file === process.execPath || nodePattern.test(file) ? NODE_PROGRAM : nameOf(file);
}

/** What the package zx writes in front of each line. */
const settings = /^set -euo pipefail;\s*/;
/** What a shell takes as it stands. */
const quotedPattern = /'[^']*'|"[^"$`\\!]*"/g;
/** What may make more of a line than one command. */
const morePattern = /[|&;<>()$`*?\n]/;

/** As `startedProgram`, of a line that a shell is given: one that does more than to start Node.js is the shell's, which no replay starts. */
export function startedByLine(text: string): string {
  const line = text.replace(settings, '').trim();
  if (!nodePattern.test(line) && !line.includes(process.execPath)) return firstWord(line);
  return morePattern.test(line.replace(quotedPattern, '')) ? 'sh' : NODE_PROGRAM;
}
