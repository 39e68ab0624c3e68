// Prints every command of the program as JSON. A process of its own, because commands resolve modules as Node.js does.
import { buildProgram } from 'reenact/program';

const program = await buildProgram({
  terminal: {
    out: () => undefined,
    err: () => undefined,
    data: () => undefined,
    colour: false,
    columns: 120,
    wraps: false,
  },
  environment: {},
  exitWith: () => undefined,
});

/** What the help of a command says of its exit codes, each on one line. */
function exitCodesOf(command: (typeof program.commands)[number]): string[] {
  const help: string[] = [];
  command.configureOutput({ writeOut: (text) => help.push(text), getOutHelpWidth: () => Number.MAX_SAFE_INTEGER });
  command.outputHelp();
  const [, lines = ''] = help.join('').split('\nExit codes:\n');
  return lines
    .trim()
    .split(/\s*\n\s*/)
    .map((line) => line.replace(/\s+/, ' '));
}

const commands = program.commands.map((command) => ({
  name: command.name(),
  description: command.description(),
  arguments: command.registeredArguments.map((argument) => ({
    name: argument.required
      ? `<${argument.name()}${argument.variadic ? '...' : ''}>`
      : `[${argument.name()}${argument.variadic ? '...' : ''}]`,
    description: argument.description,
  })),
  flags: command.options.map(({ flags, description, defaultValue }) => ({ flags, description, defaultValue })),
  exitCodes: exitCodesOf(command),
}));

console.log(JSON.stringify(commands));
