import { describeError, ReenactError, toReenactError } from '@reenact/trace-model';
import { type TailEvent, tailQuerySchema } from '@reenact/trace-model/collector-api';
import type { Command } from 'commander';
import { openCollector } from '../reading/open-collector.ts';
import { collectorUrl } from '../reading/recording-source.ts';
import { printRun } from '../rendering/run-rows.ts';
import type { Terminal } from '../terminal/terminal.ts';
import { collectorOption } from './collector-option.ts';
import type { CommandContext } from './command-context.ts';
import { exitCodesHelp, READING_EXIT_CODES } from './exit-codes.ts';
import { addFilterFlags, readFilterFlags } from './run-filter-flags.ts';
import { untilStopped } from './until-stopped.ts';

interface TailOptions {
  readonly from?: string;
  readonly json?: boolean;
  readonly collector?: string;
}

/** An event id as the collector writes it. Checked here, for it travels in a header that nobody who types a flag knows of. */
const EVENT_ID = /^\d{1,15}(?:\.[0-9a-f]{8}\.\d{1,15})?$/;

function eventIdOf(text: string): string {
  if (EVENT_ID.test(text)) return text;
  throw new ReenactError('bad-argument', `"${text}" is no event id.`, {
    where: '--from',
    next: 'Give the id of an event that `reenact tail --json` printed, or 0 for the beginning.',
  });
}

function print(event: TailEvent, isJson: boolean, terminal: Terminal): void {
  if (isJson) {
    terminal.out(JSON.stringify(event));
    return;
  }
  switch (event.event) {
    case 'run':
      printRun(event.data, terminal);
      return;
    // Not asked for: what a terminal has printed stays.
    case 'left':
    case 'deleted':
    case 'forgotten':
      return;
    case 'dropped':
      terminal.err(`The collector ended the stream (${event.data.reason}); connecting again.`);
  }
}

/** `reenact tail`: runs as they come and change. */
export function addTailCommand(program: Command, { terminal }: CommandContext): void {
  const command = program.command('tail').description('print runs as they come and change, until Ctrl-C');
  addFilterFlags(command, tailQuerySchema)
    .option(
      '--from <event-id>',
      'begin after this event of an earlier tail; 0 is the beginning (default: now)',
      eventIdOf,
    )
    .option('--json', 'print one event as JSON on each line')
    .addOption(collectorOption())
    .addHelpText('after', exitCodesHelp(READING_EXIT_CODES))
    .action(async (options: TailOptions & Record<string, unknown>) => {
      const client = openCollector(collectorUrl(options.collector));
      const query = readFilterFlags(tailQuerySchema, options, 'tail');
      const ending = new AbortController();
      void untilStopped().then(() => ending.abort());
      const onLost = (cause: unknown) =>
        terminal.err(`The connection was lost; connecting again. ${describeError(toReenactError(cause))}`);
      const events = client.followRuns(query, { signal: ending.signal, lastEventId: options.from, onLost });
      for await (const event of events) print(event, options.json === true, terminal);
    });
}
