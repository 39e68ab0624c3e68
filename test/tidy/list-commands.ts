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
}));

console.log(JSON.stringify(commands));
