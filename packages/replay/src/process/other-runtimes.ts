import { basename } from 'node:path';
import { ReenactError } from '@reenact/trace-model';

/** Programs that run JavaScript and are no Node.js, by their file name, with what people call them. */
export const OTHER_RUNTIMES: ReadonlyMap<string, string> = new Map([
  ['bun', 'Bun'],
  ['bun.exe', 'Bun'],
  ['deno', 'Deno'],
]);

/** Whether a command line of Deno only starts the programs that a file of tasks names. */
export function isDenoRunner([, subcommand]: readonly string[]): boolean {
  return subcommand === 'task';
}

/**
 * Refuses a command of Deno: nothing can make it load what answers it, so all of it would be done for real. (A program of Bun is made to
 * load the hook, which refuses.) Throws ReenactError `unsupported`.
 */
export function refuseDeno(command: readonly string[]): void {
  if (basename(command[0] ?? '', '.exe') !== 'deno' || isDenoRunner(command)) return;
  throw new ReenactError(
    'unsupported',
    'A replay answers Node.js programs, and a program of Deno would run for real.',
    {
      where: command.join(' '),
      next: 'Start the agent with Node.js 22.19 or newer: -- node app.ts',
    },
  );
}
