import { renderValueOrigin, traceValue } from '@reenact/replay';
import { ReenactError } from '@reenact/trace-model';
import type { Command } from 'commander';
import { collectorUrl, readRecording } from '../reading/recording-source.ts';
import { collectorOption } from './collector-option.ts';
import type { CommandContext } from './command-context.ts';
import { exitCodesHelp } from './exit-codes.ts';

interface WhyOptions {
  readonly file?: string;
  readonly json?: boolean;
  readonly collector?: string;
}

function requireSpanId(text: string): string {
  if (/^[0-9a-f]{16}$/i.test(text)) return text.toLowerCase();
  throw new ReenactError('bad-argument', `"${text}" is not a span id (16 hex digits).`, {
    where: text,
    next: 'Take the span id of one crossing from `reenact show <id>`.',
  });
}

/** `reenact why <span-id> <json-path>`: where a value first appeared in its run. */
export function addWhyCommand(program: Command, { terminal }: CommandContext): void {
  program
    .command('why')
    .description('say where a value of a run first appeared, step by step backwards')
    .argument('<span-id>', 'the crossing whose value is asked for')
    .argument('<json-path>', 'where in its input, as $.messages[1].content; in its outcome with output: before it')
    .option('--file <fixture>', 'read the recording from this fixture file instead of the collector')
    .option('--json', 'print JSON')
    .addOption(collectorOption())
    .addHelpText('after', exitCodesHelp({ 0: 'answered', 2: 'unusable input, or the value was not recorded' }))
    .action(async (spanIdText: string, address: string, options: WhyOptions) => {
      const spanId = requireSpanId(spanIdText);
      const { recording } = await readRecording(options.file ?? spanId, collectorUrl(options.collector));
      const origin = traceValue(recording, spanId, address);
      terminal.out(
        options.json === true
          ? JSON.stringify(origin, null, 2)
          : renderValueOrigin(origin, { color: terminal.colour }).trimEnd(),
      );
    });
}
