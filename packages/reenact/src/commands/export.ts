import { type Recording, replayingCommand, replayWords } from '@reenact/trace-model';
import { fixtureLines } from '@reenact/trace-model/reading';
import { counted } from '@reenact/trace-model/words';
import type { Command } from 'commander';
import { namedRun } from '../reading/named-runs.ts';
import { collectorUrl, readRecording, withSetUps } from '../reading/recording-source.ts';
import { type BesideWanted, withRunsBeside } from '../reading/with-runs-beside.ts';
import { runsBesideLines } from '../rendering/runs-beside-lines.ts';
import { setUpLines } from '../rendering/set-up-lines.ts';
import { ownCommand } from '../terminal/own-command.ts';
import { collectorOption } from './collector-option.ts';
import type { CommandContext } from './command-context.ts';
import { exitCodesHelp, READING_EXIT_CODES } from './exit-codes.ts';
import { addRequestsBeforeFlag, type RequestsBeforeFlag } from './requests-before-flag.ts';
import { writeFixtureFile } from './write-fixture-file.ts';

interface ExportOptions extends RequestsBeforeFlag {
  readonly out: string;
  readonly collector?: string;
}

/** A recording with what else of its processes a replay of its runs needs, and what to say about that. */
async function withProcessOf(
  own: Recording,
  wanted: BesideWanted & { url: string },
): Promise<{ recording: Recording; lines: string[] }> {
  let recording = await withSetUps(own, wanted.url);
  const lines = setUpLines(recording, { isHeld: true });
  for (const root of own.roots) {
    const found = await withRunsBeside(recording, root.spanId, wanted);
    recording = found.recording;
    lines.push(...runsBesideLines(root, found));
  }
  return { recording, lines };
}

/** `reenact export <id> --out <file>`: one recording as a self-contained fixture file. */
export function addExportCommand(program: Command, context: CommandContext): void {
  const command = program
    .command('export')
    .description('write one recording as a fixture file that replays without a collector')
    .argument('<id>', 'trace id, any span id of the trace, or latest')
    .requiredOption('--out <file>', 'where to write; - is standard output');
  addRequestsBeforeFlag(command, 'write into the file, too,')
    .addOption(collectorOption())
    .addHelpText('after', exitCodesHelp(READING_EXIT_CODES))
    .action(async (word: string, options: ExportOptions) => {
      const url = collectorUrl(options.collector);
      const id = await namedRun(word, url, context.terminal);
      const own = (await readRecording(id, url)).recording;
      const { recording, lines } = await withProcessOf(own, { url, requestsBefore: options.requestsBefore ?? 0 });
      const text = fixtureLines(recording.data);
      if (options.out === '-') {
        for (const line of text) context.terminal.data(line);
        return;
      }
      const bytes = writeFixtureFile(options.out, text);
      context.terminal.out(
        `Wrote ${options.out}: ${counted(recording.spans.size, 'span')}, ${bytes.toLocaleString('en-US')} bytes.`,
      );
      for (const line of lines) context.terminal.out(line);
      const words =
        replayWords(recording, options.out) ??
        `${replayingCommand(recording)} ${options.out} -- <the command that starts your agent>`;
      context.terminal.out(`Replay it anywhere with: ${ownCommand()} ${words}`);
    });
}
