import { type FoundRun, runQuerySchema, searchQuerySchema } from '@reenact/trace-model/collector-api';
import type { Command } from 'commander';
import { openCollector } from '../reading/open-collector.ts';
import { collectorUrl } from '../reading/recording-source.ts';
import { printHit } from '../rendering/found-hit.ts';
import { printRun } from '../rendering/run-rows.ts';
import type { Terminal } from '../terminal/terminal.ts';
import { printUnsummarised } from '../terminal/unsummarised-notice.ts';
import { collectorOption } from './collector-option.ts';
import type { CommandContext } from './command-context.ts';
import { exitCodesHelp, READING_EXIT_CODES } from './exit-codes.ts';
import { addFilterFlags, readFilterFlags } from './run-filter-flags.ts';

interface SearchOptions {
  readonly json?: boolean;
  readonly collector?: string;
}

const filterFlags = runQuerySchema.omit({ text: true });

/** On a command line `"sell shares"` arrives without its quotes: an argument with spaces in it is a phrase. */
function toText(words: readonly string[]): string {
  return words.map((word) => (/\s/.test(word) && !word.includes('"') ? `"${word}"` : word)).join(' ');
}

function printFound({ run, hits }: FoundRun, terminal: Terminal): void {
  printRun(run, terminal);
  for (const hit of hits) printHit(hit, terminal);
}

/** `reenact search <words>`: runs by what was said in them. */
export function addSearchCommand(program: Command, { terminal }: CommandContext): void {
  const command = program
    .command('search')
    .description('find runs by words of their inputs, outputs, messages and errors')
    .argument('<words...>', 'all of them must occur; an argument with spaces is a phrase, word* a beginning');
  addFilterFlags(command, filterFlags)
    .option('--json', 'print JSON')
    .addOption(collectorOption())
    .addHelpText('after', exitCodesHelp(READING_EXIT_CODES))
    .action(async (words: string[], options: SearchOptions & Record<string, unknown>) => {
      const client = openCollector(collectorUrl(options.collector));
      const query = readFilterFlags(searchQuerySchema, { ...options, text: toText(words) }, 'search');
      const answer = await client.searchRuns(query);
      if (options.json === true) {
        terminal.out(JSON.stringify(answer, null, 2));
        return;
      }
      for (const found of answer.found) printFound(found, terminal);
      if (answer.found.length === 0) terminal.out('No run has all of these words.');
      if (answer.nextCursor !== undefined) terminal.err('There are more: raise --limit, or narrow with more words.');
      printUnsummarised(answer, terminal);
    });
}
