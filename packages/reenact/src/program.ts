import { Command } from 'commander';
import { addTokenFlag } from './collector-token.ts';
import { addCheckCommand } from './commands/check.ts';
import { addCollectCommand } from './commands/collect.ts';
import type { CommandContext } from './commands/command-context.ts';
import { addConfigCommand } from './commands/config.ts';
import { addDiffCommand } from './commands/diff.ts';
import { addDoctorCommand } from './commands/doctor.ts';
import { addExportCommand } from './commands/export.ts';
import { addReplayCommand } from './commands/replay.ts';
import { addRunsCommand } from './commands/runs.ts';
import { addServeCommand } from './commands/serve.ts';
import { addShowCommand } from './commands/show.ts';
import { addSpoolCommand } from './commands/spool.ts';
import { addStoreCommand } from './commands/store.ts';
import { addWhyCommand } from './commands/why.ts';
import { VERSION } from './version.ts';

/** The command line: every command with its arguments and flags. Parses nothing yet, and never exits. */
export function buildProgram(context: CommandContext): Command {
  const { terminal } = context;
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
  addDoctorCommand(program, context);
  addSpoolCommand(program, context);
  addStoreCommand(program, context);
  addConfigCommand(program, context);
  addTokenFlag(program);
  for (const command of program.commands) command.exitOverride().copyInheritedSettings(program);
  return program;
}
