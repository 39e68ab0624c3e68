import { assembleRecording } from '@reenact/dialects';
import { type Crossing, ReenactError, toReenactError } from '@reenact/trace-model';
import { type Command, Option } from 'commander';
import { SHOWN_BYTES_MAX } from '../limits.ts';
import { namedRun } from '../reading/named-runs.ts';
import { openCollector } from '../reading/open-collector.ts';
import { readOutline } from '../reading/read-outline.ts';
import { collectorUrl, isRecordingId, readRecording } from '../reading/recording-source.ts';
import { renderOutline } from '../rendering/render-outline.ts';
import { renderCrossing, renderRun } from '../rendering/render-run.ts';
import { renderCrossingJson, renderRunJson } from '../rendering/render-run-json.ts';
import type { Terminal } from '../terminal/terminal.ts';
import { collectorOption } from './collector-option.ts';
import type { CommandContext } from './command-context.ts';
import { exitCodesHelp, READING_EXIT_CODES } from './exit-codes.ts';

interface ShowOptions {
  readonly full?: boolean;
  readonly json?: boolean;
  readonly outline?: boolean;
  readonly alone?: boolean;
  readonly collector?: string;
}

/** The crossing of one span, read without the rest of its run. */
async function readCrossingAlone(id: string, url: string): Promise<Crossing> {
  if (!/^[0-9a-f]{16}$/i.test(id)) {
    throw new ReenactError('bad-argument', `--alone needs the id of one span, and "${id}" is none.`, {
      where: id,
      next: 'Give 16 hex digits, as `reenact show` prints them behind each crossing.',
    });
  }
  const [crossing] = assembleRecording(await openCollector(url).getSpan(id.toLowerCase())).crossings;
  if (crossing !== undefined) return crossing;
  throw new ReenactError('bad-argument', `The span ${id} is no crossing.`, {
    where: id,
    next: `See the crossings of its run: \`reenact show ${id}\`.`,
  });
}

async function showAlone(id: string, url: string, options: ShowOptions, terminal: Terminal): Promise<string> {
  const crossing = await readCrossingAlone(id, url);
  if (options.json === true) return renderCrossingJson(crossing);
  return renderCrossing(crossing, terminal, { full: options.full === true });
}

async function showOutline(id: string, url: string, options: ShowOptions, terminal: Terminal): Promise<string> {
  if (!isRecordingId(id)) {
    throw new ReenactError('bad-argument', '--outline is of a run that a collector has, and not of a file.', {
      where: id,
      next: 'Leave --outline out.',
    });
  }
  const tree = await readOutline(id.toLowerCase(), url, terminal);
  return options.json === true ? JSON.stringify(tree, null, 2) : renderOutline(tree, terminal);
}

async function showRun(id: string, url: string, options: ShowOptions, terminal: Terminal): Promise<string> {
  const isWhole = options.full === true || options.json === true;
  try {
    const { recording } = await readRecording(id, url, isWhole ? undefined : SHOWN_BYTES_MAX);
    if (options.json === true) return renderRunJson(recording);
    return renderRun(recording, terminal, {
      full: options.full === true,
      ...(isRecordingId(id) ? {} : { replayedAs: id }),
    });
  } catch (thrown) {
    const error = toReenactError(thrown);
    if (isWhole || error.code !== 'too-large') throw error;
    return showOutline(id, url, options, terminal);
  }
}

/** `reenact show <id>`: one run as a tree of crossings. */
export function addShowCommand(program: Command, { terminal }: CommandContext): void {
  program
    .command('show')
    .description(
      'print one run: its crossings with inputs, outcomes, durations, tokens, and whether it can be replayed',
    )
    .argument('<id>', 'trace id, any span id of the trace, latest, or a fixture file')
    .option('--full', 'print inputs and outcomes whole')
    .addOption(
      new Option('--outline', 'print the tree as the collector makes it of a run of any size').conflicts([
        'full',
        'alone',
      ]),
    )
    .option('--alone', 'print the crossing of this span id alone')
    .option('--json', 'print JSON')
    .addOption(collectorOption())
    .addHelpText('after', exitCodesHelp(READING_EXIT_CODES))
    .action(async (word: string, options: ShowOptions) => {
      const url = collectorUrl(options.collector);
      const id = await namedRun(word, url, terminal);
      const show = options.alone === true ? showAlone : options.outline === true ? showOutline : showRun;
      terminal.out(await show(id, url, options, terminal));
    });
}
