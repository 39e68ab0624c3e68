import { describeError, isReenactError, ReenactError } from '@reenact/trace-model';
import { CommanderError } from 'commander';
import type { CommandContext } from './commands/command-context.ts';
import { buildProgram } from './program.ts';
import { elsewhereHint } from './reading/default-collector.ts';
import { errorJson, wantsJson } from './terminal/error-json.ts';
import { typedAdvice } from './terminal/own-command.ts';
import { paint, processTerminal } from './terminal/terminal.ts';

/** Exit code for input that cannot be used: a flag, an id, a file, a configuration (DESIGN section 6). */
const EXIT_UNUSABLE = 2;

const terminal = processTerminal();

const words = process.argv.slice(2);

let isCutOff = false;

/** An error of the platform that says what is wrong outside of Reenact; any other that is not ours is a defect. */
function errorOf(thrown: unknown): ReenactError {
  if (isReenactError(thrown)) return thrown;
  if (thrown instanceof Error && Reflect.get(thrown, 'syscall') === 'uv_cwd') {
    return new ReenactError('bad-argument', 'The folder that this command was started in is there no more.', {
      next: 'Change to one that exists.',
      cause: thrown,
    });
  }
  return new ReenactError('internal', thrown instanceof Error ? thrown.message : String(thrown), {
    next: 'This is a defect of Reenact. Run again with REENACT_DEBUG=1 for the stack, and report it.',
  });
}

/** What the parser refused it has told people of by itself. */
function reportMistyped(mistyped: CommanderError): number {
  if (mistyped.exitCode === 0) return 0;
  const [command = ''] = words;
  const next = `See \`reenact ${/^[a-z]/.test(command) ? `${command} ` : ''}--help\`.`;
  reportJson(new ReenactError('bad-argument', mistyped.message.replace(/^error: /, ''), { next }));
  return EXIT_UNUSABLE;
}

/** Whoever asked for JSON is a program: it is told in what it reads, beside what people are. */
function reportJson(error: ReenactError): void {
  if (wantsJson(words)) terminal.out(errorJson(error));
}

function report(thrown: unknown): number {
  if (thrown instanceof CommanderError) return reportMistyped(thrown);
  const error = errorOf(thrown);
  if (!isCutOff) reportJson(error);
  terminal.err(`${paint({ colour: terminal.colour }, 'bad', `✗ ${error.code}`)} ${describeError(error, typedAdvice)}`);
  const hint = elsewhereHint(error, process.env);
  if (hint !== undefined) terminal.err(hint);
  if (process.env.REENACT_DEBUG === '1' && thrown instanceof Error) terminal.err(thrown.stack ?? '');
  return EXIT_UNUSABLE;
}

// A reader such as `head` that has seen enough is no failure, nor is a terminal that was closed; the command goes on, and keeps its own
// exit code. What cannot be written elsewhere, as to a full disk, was asked for in vain: exit code 1 would say that it differs.
process.stdout.on('error', (cause: NodeJS.ErrnoException) => {
  if (cause.code === 'EPIPE' || cause.code === 'EIO' || isCutOff) return;
  isCutOff = true;
  process.exitCode = report(
    new ReenactError('bad-argument', `What was found cannot be written: ${cause.message}.`, {
      where: 'standard output',
      next: 'Make room where it is written to, or send it elsewhere.',
      cause,
    }),
  );
});
// Nobody is left who could be told; the exit code still is.
process.stderr.on('error', () => undefined);

const context: CommandContext = {
  terminal,
  environment: process.env,
  exitWith: (code) => {
    if (!isCutOff) process.exitCode = code;
  },
};

try {
  const program = await buildProgram(context, words);
  await program.parseAsync();
} catch (thrown) {
  process.exitCode = report(thrown);
}
