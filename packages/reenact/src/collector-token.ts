import type { Command } from 'commander';

let given: string | undefined;

/** The token for the collector that commands read from: of `--token`, else of REENACT_TOKEN. */
export function collectorToken(): string | undefined {
  return given ?? process.env.REENACT_TOKEN;
}

/** Gives every command that reads from a collector the flag `--token`. */
export function addTokenFlag(program: Command): void {
  for (const command of program.commands) {
    if (!command.options.some(({ long }) => long === '--collector')) continue;
    command
      .option('--token <token>', 'token for that collector (default: $REENACT_TOKEN)')
      .hook('preAction', (_command, action) => {
        const { token } = action.opts<{ token?: string }>();
        given = token;
      });
  }
}
