import type { CollectorClient } from '@reenact/collector-client';
import { type RunQuery, runFilterSchema, runQuerySchema, type UsageAnswer } from '@reenact/trace-model/collector-api';
import { costText, counted } from '@reenact/trace-model/words';
import { type Command, Option } from 'commander';
import { ofReadTenant } from '../reading/collector-access.ts';
import { tellLeftInSpool } from '../reading/left-in-spool.ts';
import { openCollector } from '../reading/open-collector.ts';
import { recordARun } from '../reading/record-a-run.ts';
import { collectorUrl } from '../reading/recording-source.ts';
import { printRunRows } from '../rendering/run-rows.ts';
import { alignColumns, paint, type Terminal } from '../terminal/terminal.ts';
import { printUnsummarised } from '../terminal/unsummarised-notice.ts';
import { collectorOption } from './collector-option.ts';
import type { CommandContext } from './command-context.ts';
import { exitCodesHelp, READING_EXIT_CODES } from './exit-codes.ts';
import { addFilterFlags, readFilterFlags } from './run-filter-flags.ts';

interface RunsOptions {
  readonly sum?: boolean;
  readonly json?: boolean;
  readonly collector?: string;
}

const RUNS_LISTED_DEFAULT = 50;

function noRunsWords(query: RunQuery): string {
  if (Object.keys(query).length === 0) return `No runs yet${ofReadTenant()}. ${recordARun()}`;
  const isOfReplays = query.replays === 'only' || query.replayOf !== undefined;
  const exported =
    ' A replay is a run of the collector where it was told to be: reenact replay <id> --export -- node app.mjs';
  return `No runs${ofReadTenant()} pass these filters.${isOfReplays ? exported : ''}`;
}

async function printRuns(client: CollectorClient, query: RunQuery, isJson: boolean, terminal: Terminal): Promise<void> {
  const list = await client.listRuns({ limit: RUNS_LISTED_DEFAULT, ...query });
  if (isJson) {
    terminal.out(JSON.stringify(list, null, 2));
    return;
  }
  if (list.runs.length > 0) printRunRows(list.runs, terminal);
  else terminal.out(noRunsWords(query));
  if (list.nextCursor !== undefined)
    terminal.err(`There are more: raise --limit, or narrow with --since, --service or --status.`);
  printUnsummarised(list, terminal);
}

function printUsage({ runs, inputTokens, outputTokens, models, cost }: UsageAnswer, terminal: Terminal): void {
  const rows = models.map(({ model = '', provider = '', calls, ...tokens }) => [
    model,
    provider,
    `${calls}`,
    `${tokens.inputTokens}`,
    `${tokens.cacheReadTokens ?? 0}`,
    `${tokens.outputTokens}`,
  ]);
  const heading = ['model', 'provider', 'calls', 'input tokens', 'of them cached', 'output tokens'];
  const [first = '', ...lines] = alignColumns([heading, ...rows]);
  terminal.out(paint(terminal, 'quiet', first));
  for (const line of lines) terminal.out(line);
  terminal.out(`${counted(runs, 'run')}, ${inputTokens}→${outputTokens} tokens`);
  if (cost !== undefined) terminal.out(`Cost: ${costText(cost)}`);
}

/** `reenact runs`: what the collector has, newest first. */
export function addRunsCommand(program: Command, { terminal, environment }: CommandContext): void {
  const command = program.command('runs').description('list the recorded runs, newest first');
  addFilterFlags(command, runQuerySchema)
    .addOption(
      new Option(
        '--sum',
        'print the tokens of all runs that pass, by model, and their cost where prices are configured',
      ).conflicts('limit'),
    )
    .option('--json', 'print JSON')
    .addOption(collectorOption())
    .addHelpText('after', exitCodesHelp(READING_EXIT_CODES))
    .action(async (options: RunsOptions & Record<string, unknown>) => {
      const url = collectorUrl(options.collector);
      const client = openCollector(url);
      if (options.sum !== true) {
        await printRuns(client, readFilterFlags(runQuerySchema, options, 'runs'), options.json === true, terminal);
        if (options.json !== true) await tellLeftInSpool(url, environment, terminal);
        return;
      }
      const usage = await client.sumUsage(readFilterFlags(runFilterSchema, options, 'runs'));
      if (options.json === true) terminal.out(JSON.stringify(usage, null, 2));
      else {
        printUsage(usage, terminal);
        printUnsummarised(usage, terminal);
      }
    });
}
