import { describeError, isReenactError, ReenactError } from '@reenact/trace-model';
import { CommanderError } from 'commander';
import type { CommandContext } from './commands/command-context.ts';
import { buildProgram } from './program.ts';
import { elsewhereHint } from './reading/default-collector.ts';
import { typedAdvice } from './terminal/own-command.ts';
import { paint, processTerminal } from './terminal/terminal.ts';

/** Exit code for input that cannot be used: a flag, an id, a file, a configuration (DESIGN section 6). */
const EXIT_UNUSABLE = 2;

const terminal = processTerminal();

// A reader such as `head` that has seen enough is no failure, nor is a terminal that was closed; the command goes on, and keeps its own
// exit code.
for (const stream of [process.stdout, process.stderr]) {
  stream.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code !== 'EPIPE' && error.code !== 'EIO') throw error;
  });
}

function report(thrown: unknown): number {
  if (thrown instanceof CommanderError) return thrown.exitCode === 0 ? 0 : EXIT_UNUSABLE;
  const error = isReenactError(thrown)
    ? thrown
    : new ReenactError('internal', thrown instanceof Error ? thrown.message : String(thrown), {
        next: 'This is a defect of Reenact. Run again with REENACT_DEBUG=1 for the stack, and report it.',
      });
  terminal.err(`${paint({ colour: terminal.colour }, 'bad', `✗ ${error.code}`)} ${describeError(error, typedAdvice)}`);
  const hint = elsewhereHint(error, process.env);
  if (hint !== undefined) terminal.err(hint);
  if (process.env.REENACT_DEBUG === '1' && thrown instanceof Error) terminal.err(thrown.stack ?? '');
  return EXIT_UNUSABLE;
}

const context: CommandContext = {
  terminal,
  environment: process.env,
  exitWith: (code) => {
    process.exitCode = code;
  },
};

try {
  const program = await buildProgram(context, process.argv.slice(2));
  await program.parseAsync();
} catch (thrown) {
  process.exitCode = report(thrown);
}
