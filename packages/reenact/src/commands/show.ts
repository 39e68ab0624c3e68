import type { Command } from 'commander';
import { collectorUrl, readRecording } from '../recording-source.ts';
import { renderRun } from '../render-run.ts';
import { renderRunJson } from '../render-run-json.ts';
import type { CommandContext } from './command-context.ts';

interface ShowOptions {
  readonly full?: boolean;
  readonly json?: boolean;
  readonly collector?: string;
}

/** `reenact show <id>`: one run as a tree of crossings. */
export function addShowCommand(program: Command, { terminal }: CommandContext): void {
  program
    .command('show')
    .description(
      'print one run: its crossings with inputs, outcomes, durations, tokens, and whether it can be replayed',
    )
    .argument('<id>', 'trace id, any span id of the trace, or a fixture file')
    .option('--full', 'print inputs and outcomes whole')
    .option('--json', 'print JSON')
    .option('--collector <url>', 'collector to read from (default: $REENACT_COLLECTOR, else http://127.0.0.1:4318)')
    .action(async (id: string, options: ShowOptions) => {
      const { recording } = await readRecording(id, collectorUrl(options.collector));
      terminal.out(
        options.json === true
          ? renderRunJson(recording)
          : renderRun(recording, terminal, { full: options.full === true }),
      );
    });
}
