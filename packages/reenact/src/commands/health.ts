import type { Command } from 'commander';
import { askHealth } from '../collecting/ask-health.ts';
import { collectorSettings } from '../collecting/collector-settings.ts';
import type { CommandContext } from './command-context.ts';
import { exitCodesHelp } from './exit-codes.ts';
import { portOf } from './port-of.ts';

interface HealthOptions {
  readonly config?: string;
  readonly host?: string;
  readonly httpPort?: number;
  readonly forIngest?: boolean;
}

/** Why a collector that answers is not ready; as a supervisor takes it, no more than one. */
const EXIT_NOT_READY = 1;

/** `reenact health`: whether the collector of a configuration is ready, for supervisors that run a command. */
export function addHealthCommand(program: Command, { terminal, environment, exitWith }: CommandContext): void {
  program
    .command('health')
    .description('ask the collector of a configuration on this machine whether it is ready')
    .option('--config <file>', 'what it was started with (default: $REENACT_COLLECTOR_CONFIG)')
    .option('--host <address>', 'likewise')
    .option('--http-port <port>', 'likewise', portOf('--http-port'))
    .option('--for-ingest', 'ask whether it takes requests, too')
    .addHelpText(
      'after',
      exitCodesHelp({
        0: 'ready',
        1: 'it answers and is not ready',
        2: 'nothing answers, another program does, or a configuration that cannot be used',
      }),
    )
    .action(async ({ forIngest = false, ...flags }: HealthOptions) => {
      const config = collectorSettings({ ...flags, forward: [], forwardFull: [] }, environment);
      const { isReady, body } = await askHealth(config, forIngest, environment);
      terminal.out(body);
      if (!isReady) exitWith(EXIT_NOT_READY);
    });
}
