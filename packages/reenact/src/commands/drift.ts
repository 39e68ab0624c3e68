import { driftQuerySchema } from '@reenact/trace-model/collector-api';
import type { Command } from 'commander';
import { openCollector } from '../reading/open-collector.ts';
import { collectorUrl } from '../reading/recording-source.ts';
import { printDrift } from '../rendering/print-drift.ts';
import { printUnsummarised } from '../terminal/unsummarised-notice.ts';
import { collectorOption } from './collector-option.ts';
import type { CommandContext } from './command-context.ts';
import { exitCodesHelp, READING_EXIT_CODES } from './exit-codes.ts';
import { addFilterFlags, readFilterFlags } from './run-filter-flags.ts';

interface DriftOptions {
  readonly json?: boolean;
  readonly collector?: string;
}

/** `reenact drift`: the same input, another outcome. */
export function addDriftCommand(program: Command, { terminal }: CommandContext): void {
  const command = program
    .command('drift')
    .description('list crossings that had equal input and different outcomes, and under which circumstances');
  addFilterFlags(command, driftQuerySchema)
    .option('--json', 'print JSON')
    .addOption(collectorOption())
    .addHelpText('after', exitCodesHelp(READING_EXIT_CODES))
    .action(async (options: DriftOptions & Record<string, unknown>) => {
      const client = openCollector(collectorUrl(options.collector));
      const answer = await client.listDrift(readFilterFlags(driftQuerySchema, options, 'drift'));
      if (options.json === true) {
        terminal.out(JSON.stringify(answer, null, 2));
        return;
      }
      for (const drift of answer.drifts) printDrift(drift, terminal);
      if (answer.drifts.length === 0) terminal.out('No crossings had equal input and different outcomes.');
      if (answer.nextCursor !== undefined)
        terminal.err('There are more: raise --limit, or narrow with --kind and --name.');
      printUnsummarised(answer, terminal);
    });
}
