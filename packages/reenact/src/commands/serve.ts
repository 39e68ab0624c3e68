import { type RecordedProvider, renderJson, renderText, runChild, serveRecording } from '@reenact/replay';
import type { ReplayReport } from '@reenact/trace-model';
import type { Command } from 'commander';
import { namedRun } from '../reading/named-runs.ts';
import { collectorUrl, readRecording } from '../reading/recording-source.ts';
import { typedAdvice } from '../terminal/own-command.ts';
import { paint, type Terminal } from '../terminal/terminal.ts';
import { collectorOption } from './collector-option.ts';
import type { CommandContext } from './command-context.ts';
import { exitCodesHelp } from './exit-codes.ts';
import { portOf } from './port-of.ts';
import { untilStopped } from './until-stopped.ts';

interface ServeOptions {
  readonly port: number;
  readonly json?: boolean;
  readonly collector?: string;
}

/** A proxy for outbound traffic must not be asked for an address of this machine. */
function withoutProxy(environment: NodeJS.ProcessEnv): Record<string, string> {
  const listed = environment.NO_PROXY ?? environment.no_proxy;
  const hosts = [...(listed === undefined || listed === '' ? [] : [listed]), '127.0.0.1'].join(',');
  return { NO_PROXY: hosts, no_proxy: hosts };
}

function warn(provider: RecordedProvider, terminal: Terminal): void {
  for (const warning of provider.warnings)
    terminal.err(`${paint({ colour: terminal.colour }, 'warning', '!')} ${warning}`);
}

function announce(provider: RecordedProvider, terminal: Terminal, isForPrograms: boolean): void {
  const { url, environment, modelCalls } = provider;
  if (isForPrograms) {
    terminal.out(JSON.stringify({ url, environment, modelCalls, processId: process.pid }));
    return;
  }
  const calls = modelCalls === 1 ? '1 recorded model call' : `${modelCalls} recorded model calls`;
  terminal.out(`${paint(terminal, 'good', '●')} answering ${calls} on ${url}`);
  terminal.out('  Start your agent with:');
  for (const [name, value] of Object.entries(environment)) terminal.out(`    export ${name}=${value}`);
  terminal.out(paint(terminal, 'quiet', '  Ctrl-C ends it and prints the report.'));
}

async function agentEnd(
  provider: RecordedProvider,
  command: readonly string[],
  isForPrograms: boolean,
  { terminal, environment }: CommandContext,
): Promise<string | undefined> {
  if (command.length === 0) {
    // Whoever reads the announcement may stop the process at once, so it must be listening before.
    const stopped = untilStopped();
    announce(provider, terminal, isForPrograms);
    await stopped;
    return undefined;
  }
  return runChild(
    { command, stdio: isForPrograms ? 'stderr' : 'inherit' },
    { ...environment, ...withoutProxy(environment), ...provider.environment },
  );
}

async function serve(
  word: string,
  command: readonly string[],
  options: ServeOptions,
  context: CommandContext,
): Promise<ReplayReport> {
  const url = collectorUrl(options.collector);
  const { recording, spanId } = await readRecording(await namedRun(word, url, context.terminal), url);
  const provider = await serveRecording({ recording, spanId, port: options.port });
  try {
    warn(provider, context.terminal);
    return provider.report(await agentEnd(provider, command, options.json === true, context));
  } finally {
    await provider.stop();
  }
}

/** `reenact serve <id-or-file> [-- <command>]`: answers as the provider, for agents in any language. */
export function addServeCommand(program: Command, context: CommandContext): void {
  program
    .command('serve')
    .description('answer as the model provider from a recording, for an agent in any language that takes a base URL')
    .argument('<id>', 'trace id, span id, latest, or a fixture file')
    .argument('[command...]', 'how your agent is started, after --; without it, serves until Ctrl-C')
    .option('--port <port>', 'port on loopback; 0 picks a free one', portOf('--port'), 0)
    .option('--json', "print the address and the report as JSON; the agent's output goes to standard error")
    .addOption(collectorOption())
    .addHelpText('after', '\nOnly model calls are answered and compared; tools run for real.')
    .addHelpText(
      'after',
      exitCodesHelp({ 0: 'reproduced', 1: 'diverged', 2: 'nothing compared, cold case, or unusable input' }),
    )
    .action(async (id: string, command: string[], options: ServeOptions) => {
      const report = await serve(id, command, options, context);
      const { terminal, exitWith } = context;
      terminal.out(
        options.json === true
          ? renderJson(report)
          : `\n${renderText(report, { color: terminal.colour, columns: terminal.columns, advice: typedAdvice })}`,
      );
      exitWith(report.exitCode);
    });
}
