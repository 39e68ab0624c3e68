import { comparedRoot, DIFF_EXIT_CODES, diffRecordings } from '@reenact/recordings';
import { renderDiff, renderDiffMarkdown } from '@reenact/replay';
import { type Command, Option } from 'commander';
import { namedRuns } from '../reading/named-runs.ts';
import { collectorUrl, type NamedRecording, readRecording } from '../reading/recording-source.ts';
import { collectorOption } from './collector-option.ts';
import type { CommandContext } from './command-context.ts';
import { exitCodesHelp } from './exit-codes.ts';

interface DiffCommandOptions {
  readonly exact?: boolean;
  readonly json?: boolean;
  readonly markdown?: boolean;
  readonly collector?: string;
}

async function findSide(id: string, url: string): Promise<NamedRecording> {
  const { recording, spanId } = await readRecording(id, url);
  return { recording, rootSpanId: comparedRoot(recording, spanId, id) };
}

/** `reenact diff <a> <b>`: compares two recordings step by step. */
export function addDiffCommand(program: Command, { terminal, exitWith }: CommandContext): void {
  program
    .command('diff')
    .description('compare two recordings by aligning their steps, and say what differed first')
    .argument(
      '<a>',
      'trace id, any span id, latest, latest~1, or a fixture file; a span id compares that part of the run',
    )
    .argument('<b>', 'the other one')
    .option('--exact', 'compare also what a provider makes anew for every answer: ids, times, how a stream was cut')
    .option('--json', 'print JSON')
    .addOption(new Option('--markdown', 'print Markdown for a pull request').conflicts('json'))
    .addOption(collectorOption())
    .addHelpText(
      'after',
      exitCodesHelp({
        0: 'equal',
        1: 'different',
        2: 'unusable input, or something was not recorded and could not be compared',
      }),
    )
    .action(async (left: string, right: string, options: DiffCommandOptions) => {
      const url = collectorUrl(options.collector);
      const [a = left, b = right] = await namedRuns([left, right], url, terminal);
      const [first, second] = [await findSide(a, url), await findSide(b, url)];
      const found = diffRecordings(first, second, { exact: options.exact === true });
      if (options.json === true) terminal.out(JSON.stringify(found, null, 2));
      else if (options.markdown === true) terminal.out(renderDiffMarkdown(found));
      else {
        const columns = terminal.wraps ? terminal.columns : undefined;
        terminal.out(renderDiff(found, { color: terminal.colour, columns }).trimEnd());
      }
      exitWith(DIFF_EXIT_CODES[found.verdict]);
    });
}
