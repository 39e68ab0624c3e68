import type { Command } from 'commander';

interface AccessFlags {
  readonly token?: string;
  readonly ofTenant?: string;
}

let given: AccessFlags = {};

/** The token for the collector that commands read from: of `--token`, else of REENACT_TOKEN. */
export function collectorToken(): string | undefined {
  return given.token ?? process.env.REENACT_TOKEN;
}

/** The tenant whose recordings commands read: of `--of-tenant`, else of REENACT_OF_TENANT; without either the token's own. */
export function collectorTenant(): string | undefined {
  return given.ofTenant ?? process.env.REENACT_OF_TENANT;
}

/** Whose runs commands read, as words behind "no run"; empty where there is one tenant, or none has a name. */
export function ofReadTenant(): string {
  const tenant = collectorTenant();
  if (tenant !== undefined) return ` of the tenant "${tenant}"`;
  return collectorToken() === undefined ? '' : ' of the tenant of this token';
}

/** Gives every command that reads from a collector the flags `--token` and `--of-tenant`. */
export function addAccessFlags(program: Command): void {
  for (const command of program.commands) {
    if (!command.options.some(({ long }) => long === '--collector')) continue;
    command
      .option('--token <token>', 'token for that collector (default: $REENACT_TOKEN)')
      .option('--of-tenant <name>', "whose recordings (default: $REENACT_OF_TENANT, else the token's own tenant)")
      .hook('preAction', (_command, action) => {
        given = action.opts<AccessFlags>();
      });
  }
}
