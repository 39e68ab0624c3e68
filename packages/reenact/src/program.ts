import { Command, Help } from 'commander';
import type { CommandContext } from './commands/command-context.ts';
import { forgetScript } from './commands/until-starter-ended.ts';
import { addAccessFlags } from './reading/collector-access.ts';
import { ownCommand, typedAdvice } from './terminal/own-command.ts';
import { paint } from './terminal/terminal.ts';
import { VERSION } from './version.ts';

type AddCommand = (program: Command, context: CommandContext) => void;

/** Every command in the order of `--help`, loaded when it is asked for: one command must not wait for the modules of all. */
const COMMANDS: ReadonlyMap<string, () => Promise<AddCommand>> = new Map([
  ['collect', async () => (await import('./commands/collect.ts')).addCollectCommand],
  ['runs', async () => (await import('./commands/runs.ts')).addRunsCommand],
  ['show', async () => (await import('./commands/show.ts')).addShowCommand],
  ['search', async () => (await import('./commands/search.ts')).addSearchCommand],
  ['tail', async () => (await import('./commands/tail.ts')).addTailCommand],
  ['drift', async () => (await import('./commands/drift.ts')).addDriftCommand],
  ['replay', async () => (await import('./commands/replay.ts')).addReplayCommand],
  ['check', async () => (await import('./commands/check.ts')).addCheckCommand],
  ['serve', async () => (await import('./commands/serve.ts')).addServeCommand],
  ['diff', async () => (await import('./commands/diff.ts')).addDiffCommand],
  ['why', async () => (await import('./commands/why.ts')).addWhyCommand],
  ['export', async () => (await import('./commands/export.ts')).addExportCommand],
  ['doctor', async () => (await import('./commands/doctor.ts')).addDoctorCommand],
  ['spool', async () => (await import('./commands/spool.ts')).addSpoolCommand],
  ['store', async () => (await import('./commands/store.ts')).addStoreCommand],
  ['health', async () => (await import('./commands/health.ts')).addHealthCommand],
  ['config', async () => (await import('./commands/config.ts')).addConfigCommand],
  ['docs', async () => (await import('./commands/docs.ts')).addDocsCommand],
]);

/** What is meant by words that other tools have as commands, and what is done for it here. */
const ELSEWHERE: ReadonlyMap<string, string> = new Map([
  ['backup', 'A data directory is backed up by: `reenact store backup <new directory>`'],
  ['compare', 'Two runs are compared by: `reenact diff <a> <b>`'],
  ['delete', 'Runs are deleted by: `reenact store delete <id>`'],
  ['find', 'Runs are found by their words by: `reenact search <words>`'],
  ['explain', 'Pages are printed by: `reenact docs <page>`; all error codes stand in: `reenact docs errors`'],
  [
    'import',
    'A file needs none: it is shown, compared and replayed by its name, as by `reenact replay <file> -- node app.mjs`',
  ],
  ['list', 'Runs are listed by: `reenact runs`'],
  ['ls', 'Runs are listed by: `reenact runs`'],
  [
    'record',
    'Recording takes no command: node --import reenact/register app.mjs, with a collector running (`reenact collect`)',
  ],
  [
    'run',
    'An agent is recorded by: node --import reenact/register app.mjs. A recorded run is run again by: `reenact replay <id>`',
  ],
  [
    'server',
    'The collector is started by: `reenact collect`. A model provider that answers from a recording: `reenact serve <id>`',
  ],
  ['start', 'The collector is started by: `reenact collect`'],
  ['status', 'The collector says how it is by: `reenact health`'],
  ['stop', 'The collector is stopped by Ctrl-C or SIGTERM, after what it took is stored.'],
  ['token', 'A token is made by: `reenact config token`'],
  ['verify', 'A data directory is checked by: `reenact store verify`'],
  ['view', 'A run is printed by: `reenact show <id>`'],
  ['test', 'Recordings are tests by replay() in a test, or by: `reenact check <id> -- node app.mjs`'],
]);

/** What the parser says of a word, as errors of ours are written: `unknown option '--x'` is `Unknown option '--x'.` */
function sentence(text: string): string {
  const [first = '', ...rest] = text.split('\n');
  const whole = `${first.charAt(0).toUpperCase()}${first.slice(1)}`;
  return [whole.endsWith('.') ? whole : `${whole}.`, ...rest].join('\n');
}

/** The parser takes any word for the value of a flag, also `--` and the next flag, which then would be missing. */
function wantValues(command: Command): void {
  const taken = new Set(['--', ...command.options.flatMap(({ long }) => long ?? [])]);
  for (const option of command.options.filter(({ required }) => required)) {
    command.on(`option:${option.name()}`, (value: string) => {
      if (taken.has(value)) command.error(`error: option '${option.flags}' argument missing, before '${value}'`);
    });
  }
}

/** Whoever asks for the help of a command that there is none of is told so, and not given that of all as if nothing were wrong. */
function isUnknown(word: string | undefined): boolean {
  return word !== undefined && !word.startsWith('-') && word !== 'help' && !COMMANDS.has(word);
}

/** The one command that the first word names; all of them where it names none, as for `--help` and for a typing error. */
async function loadCommands(named: string | undefined): Promise<AddCommand[]> {
  if (named === '--version' || named === '-V') return [];
  const one = named === undefined ? undefined : COMMANDS.get(named);
  return Promise.all(one === undefined ? Array.from(COMMANDS.values(), (load) => load()) : [one()]);
}

/**
 * The command line: the command that `words` begin with, or every one, with its arguments and flags. `words`: what follows the
 * program's name. Parses nothing yet, and never exits.
 */
export async function buildProgram(context: CommandContext, words: readonly string[] = []): Promise<Command> {
  const { terminal } = context;
  const program = new Command('reenact')
    .description('Records what an AI agent did in production and re-runs it with the recorded outputs.')
    .version(VERSION)
    .showSuggestionAfterError(true)
    // A flag that may be repeated starts with none.
    .configureHelp({
      optionDescription: (option) => new Help().optionDescription(option).replace(/ \(default: \[\]\)$/, ''),
    })
    .configureOutput({
      writeOut: (text) => terminal.out(text.trimEnd()),
      writeErr: (text) => terminal.err(text.trimEnd()),
      outputError: (text, write) => {
        const [first = ''] = words;
        const hint = text.includes('unknown command') ? ELSEWHERE.get(first) : undefined;
        const help = `See: ${ownCommand()} ${COMMANDS.has(first) ? `${first} ` : ''}--help`;
        const code = paint({ colour: terminal.colour }, 'bad', '✗ bad-argument');
        // What is known to be meant says more than the command that happens to be spelt most alike.
        const said = hint === undefined ? text : text.replace(/\n\(Did you mean [^\n]*\)/, '');
        write(`${code} ${sentence(said.replace(/^error: /, '').trimEnd())}\n${typedAdvice(hint ?? help)}\n`);
      },
    })
    .exitOverride();
  program.hook('preAction', (_program, command) => {
    if (command.name() !== 'collect') forgetScript(context.environment);
  });
  for (const add of await loadCommands(words[0])) add(program, context);
  addAccessFlags(program);
  if (isUnknown(words[0])) program.helpOption(false);
  for (const command of program.commands) {
    command.exitOverride().copyInheritedSettings(program);
    wantValues(command);
  }
  return program;
}
