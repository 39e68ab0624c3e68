import { coverageOf, renderCoverage } from '@reenact/replay';
import type { Command } from 'commander';
import { namedRun } from '../reading/named-runs.ts';
import { collectorUrl, findRecording } from '../reading/recording-source.ts';
import { collectorOption } from './collector-option.ts';
import type { CommandContext } from './command-context.ts';
import { exitCodesHelp } from './exit-codes.ts';
import { printReport, requireCommand, runReplay } from './replay.ts';
import type { ReplayOptions } from './replay-options.ts';
import { addRequestsBeforeFlag, type RequestsBeforeFlag } from './requests-before-flag.ts';

interface CheckOptions extends RequestsBeforeFlag {
  readonly json?: boolean;
  readonly collector?: string;
}

/** `reenact check <id> -- <command>`: does a fresh recording replay, and what would it not cover? */
export function addCheckCommand(program: Command, { terminal, environment, exitWith }: CommandContext): void {
  const command = program
    .command('check')
    .description('replay a fresh recording at once and name what it does not cover, before the incident')
    .argument('<id>', 'trace id, span id of the run, latest, or a fixture file')
    .argument('[command...]', 'how your agent is started, after --');
  addRequestsBeforeFlag(command, 'send first')
    .option('--json', "print report and coverage as JSON; the agent's output goes to standard error")
    .addOption(collectorOption())
    .addHelpText(
      'after',
      exitCodesHelp({
        0: 'reproduced and covered',
        1: 'diverged, or not all covered',
        2: 'unusable input',
        3: 'a forbidden effect was attempted',
      }),
    )
    .action(async (word: string, words: string[], options: CheckOptions) => {
      requireCommand(words, word, 'check');
      const url = collectorUrl(options.collector);
      const id = await namedRun(word, url, terminal);
      const { recording } = await findRecording(id, url);
      const replayOptions: ReplayOptions = {
        live: [],
        stub: [],
        forbid: [],
        allowHost: [],
        allowPath: [],
        allowProgram: [],
        ...options,
      };
      const report = await runReplay(id, words, replayOptions, environment);
      const coverage = coverageOf(report, recording);
      if (options.json === true) terminal.out(JSON.stringify({ report, coverage }, null, 2));
      else {
        printReport(report, replayOptions, terminal);
        terminal.out(renderCoverage(coverage));
      }
      exitWith(report.exitCode === 0 && coverage.gaps.length > 0 ? 1 : report.exitCode);
    });
}
