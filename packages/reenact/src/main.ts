import { describeError, isReenactError, ReenactError } from '@reenact/trace-model';
import { Command, CommanderError } from 'commander';
import { addCheckCommand } from './commands/check.ts';
import { addCollectCommand } from './commands/collect.ts';
import type { CommandContext } from './commands/command-context.ts';
import { addDiffCommand } from './commands/diff.ts';
import { addExportCommand } from './commands/export.ts';
import { addReplayCommand } from './commands/replay.ts';
import { addRunsCommand } from './commands/runs.ts';
import { addServeCommand } from './commands/serve.ts';
import { addShowCommand } from './commands/show.ts';
import { addWhyCommand } from './commands/why.ts';
import { paint, processTerminal } from './terminal.ts';
import { VERSION } from './version.ts';

/** Exit code for input that cannot be used: a flag, an id, a file, a configuration (DESIGN section 6). */
const EXIT_UNUSABLE = 2;

const terminal = processTerminal();

function buildProgram(context: CommandContext): Command {
  const program = new Command('reenact')
    .description('Records what an AI agent did in production and re-runs it with the recorded outputs.')
    .version(VERSION)
    .showSuggestionAfterError(true)
    .configureOutput({
      writeOut: (text) => terminal.out(text.trimEnd()),
      writeErr: (text) => terminal.err(text.trimEnd()),
      outputError: (text, write) => write(`${text.replace(/^error: /, '').trimEnd()}\nSee: reenact --help\n`),
    })
    .exitOverride();
  addCollectCommand(program, context);
  addRunsCommand(program, context);
  addShowCommand(program, context);
  addReplayCommand(program, context);
  addCheckCommand(program, context);
  addServeCommand(program, context);
  addDiffCommand(program, context);
  addWhyCommand(program, context);
  addExportCommand(program, context);
  for (const command of program.commands) command.exitOverride().copyInheritedSettings(program);
  return program;
}

function report(thrown: unknown): number {
  if (thrown instanceof CommanderError) return thrown.exitCode === 0 ? 0 : EXIT_UNUSABLE;
  const error = isReenactError(thrown)
    ? thrown
    : new ReenactError('internal', thrown instanceof Error ? thrown.message : String(thrown), {
        next: 'This is a defect of Reenact. Run again with REENACT_DEBUG=1 for the stack, and report it.',
      });
  terminal.err(`${paint({ colour: terminal.colour }, 'bad', `✗ ${error.code}`)} ${describeError(error)}`);
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
  await buildProgram(context).parseAsync();
} catch (thrown) {
  process.exitCode = report(thrown);
}
