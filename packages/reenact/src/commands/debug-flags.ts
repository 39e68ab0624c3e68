import { type DebugCommandOptions, debugCommand, type ReplayCommandOptions, replayCommand } from '@reenact/replay';
import { ReenactError, type ReplayReport } from '@reenact/trace-model';
import { type Command, Option } from 'commander';
import { portOf } from './port-of.ts';

/** Flags for looking into a replay with a debugger. */
export interface DebugFlags {
  /** true: a free one. */
  readonly inspectBrk?: number | true;
  readonly pauseAt?: string;
}

/** Adds the flags to a command. */
export function addDebugFlags(command: Command): Command {
  const inspect = new Option(
    '--inspect-brk [port]',
    'wait for a debugger on this machine and stop at the first line of the program; the port is written with =',
  );
  return command
    .addOption(inspect.argParser(portOf('--inspect-brk')))
    .option(
      '--pause-at <selector>',
      'with --inspect-brk: stop on the line of yours that is about to call this crossing',
    );
}

function debuggingOf({ inspectBrk, pauseAt }: DebugFlags): Pick<DebugCommandOptions, 'port' | 'pauseAt'> | undefined {
  if (inspectBrk !== undefined) return { port: inspectBrk === true ? 0 : inspectBrk, pauseAt };
  if (pauseAt === undefined) return undefined;
  throw new ReenactError('bad-argument', '--pause-at stops for a debugger, and none is waited for.', {
    where: '--pause-at',
    next: `Add --inspect-brk: \`reenact replay <id> --inspect-brk --pause-at ${pauseAt} -- node app.mjs\``,
  });
}

/** Runs a replay, for a debugger where the flags ask for one. Throws ReenactError `bad-argument` for flags that do not fit. */
export function replayWithDebugger(options: ReplayCommandOptions, flags: DebugFlags): Promise<ReplayReport> {
  const debugging = debuggingOf(flags);
  if (debugging === undefined) return replayCommand(options);
  const onNotice = (text: string): void => void process.stderr.write(`${text}\n`);
  return debugCommand({ ...options, ...debugging, onNotice });
}
