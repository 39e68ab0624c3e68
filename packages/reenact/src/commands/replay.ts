import { resolve } from 'node:path';
import {
  type AuditedReplay,
  findConfigFile,
  type GuardOptions,
  makePlan,
  PACES,
  type Plan,
  type PlanOptions,
  renderJson,
  renderMarkdown,
  renderText,
  replayAudited,
  replayServiceSettings,
} from '@reenact/replay';
import { isSentAgain, type Recording, ReenactError, type ReplayReport } from '@reenact/trace-model';
import { type Command, Option } from 'commander';
import { collectorToken } from '../reading/collector-access.ts';
import { namedRuns } from '../reading/named-runs.ts';
import { collectorUrl, findReplayable, isRecordingId, type NamedRecording } from '../reading/recording-source.ts';
import { requireRunsBeside, withRunsBeside } from '../reading/with-runs-beside.ts';
import { missingRunText } from '../rendering/runs-beside-lines.ts';
import { withChangesSince } from '../replaying/changed-since.ts';
import { namedConfig } from '../replaying/configure-from-file.ts';
import { typedAdvice } from '../terminal/own-command.ts';
import { progressLine } from '../terminal/progress-line.ts';
import type { Terminal } from '../terminal/terminal.ts';
import { collectorOption } from './collector-option.ts';
import type { CommandContext } from './command-context.ts';
import { addDebugFlags, replayWithDebugger } from './debug-flags.ts';
import { enteringOf } from './entering.ts';
import { exitCodesHelp } from './exit-codes.ts';
import { type AskedPlan, addPlanFlags, planOf, repeat } from './plan-flags.ts';
import { type ReplayOperands, replayOperands } from './replay-operands.ts';
import type { ReplayOptions } from './replay-options.ts';
import { replaySession } from './replay-session.ts';
import { replaySeveral } from './replay-several.ts';
import { addRequestsBeforeFlag, refuseRequestsBefore } from './requests-before-flag.ts';
import { addServicesFlags, propagating, refuseBesideUrl, replayAtUrl } from './services-flags.ts';

/** The module the child process loads before the agent: absolute, so that it is found from any folder. */
const registerUrl = import.meta.resolve('../register.js');

function headersOf(given: readonly string[]): Record<string, string> {
  const pairs = given.map((text) => {
    const colon = text.indexOf(':');
    if (colon > 0) return [text.slice(0, colon).trim(), text.slice(colon + 1).trim()] as const;
    throw new ReenactError('bad-argument', `--header "${text}" is not a header.`, {
      next: 'Write it as name: value, for example: --header "authorization: Bearer test"',
    });
  });
  return Object.fromEntries(pairs);
}

/** Refuses a replay without a command, saying how one looks. */
export function requireCommand(command: readonly string[], id: string, verb: string): void {
  if (command.length > 0) return;
  throw new ReenactError('bad-argument', 'There is no command to start your agent with.', {
    next: `Give it after two dashes: \`reenact ${verb} ${id} -- node app.mjs\``,
  });
}

/** A fork is kept where its recording came from, unless another place is named. */
function exportUrlOf(options: ReplayOptions, isFork: boolean): string | undefined {
  const wanted = options.export ?? (isFork ? true : undefined);
  if (wanted === undefined) return undefined;
  const base = wanted === true ? collectorUrl(options.collector) : wanted;
  if (!URL.canParse(base) || !/^https?:$/.test(new URL(base).protocol)) {
    throw new ReenactError('bad-argument', `--export "${base}" is no address of an OTLP/HTTP endpoint.`, {
      next: 'Write it like http://127.0.0.1:4318, or leave it out for the collector of the recording.',
    });
  }
  return base.endsWith('/v1/traces') ? base : `${base.replace(/\/+$/, '')}/v1/traces`;
}

/**
 * The recording with the other runs that its command goes through. Throws ReenactError where one of them cannot be had, but of a request: it is
 * sent again by itself, and what its service began before the first of all may not be begun in the replay.
 */
async function besideOthers(
  { recording, rootSpanId }: NamedRecording,
  id: string,
  { collector, requestsBefore = 0 }: ReplayOptions,
): Promise<Recording> {
  const url = isRecordingId(id) ? collectorUrl(collector) : undefined;
  const found = await withRunsBeside(recording, rootSpanId, { url, requestsBefore });
  const root = recording.bySpanId.get(rootSpanId);
  if (root === undefined || !isSentAgain(root)) requireRunsBeside(found, rootSpanId);
  const missing = root === undefined ? undefined : missingRunText(root, found);
  if (missing !== undefined) process.stderr.write(`Of the process of ${root?.path} ${missing}\n`);
  return found.recording;
}

/** The recording without those: a function is entered alone. Throws ReenactError `bad-argument` where requests are to come before it. */
function alone({ recording }: NamedRecording, options: ReplayOptions): Recording {
  refuseRequestsBefore(options);
  return recording;
}

function guardOf({ allowHost, allowPath, allowProgram }: ReplayOptions): GuardOptions {
  // The agent may change its working directory; what was meant is seen from here.
  const allowPaths = allowPath.map((path) => resolve(path));
  return { allowHosts: allowHost, allowPaths, allowPrograms: allowProgram };
}

/** Refuses beside --url what is asked of a program that this command starts itself. */
function refuseOfCommands(
  command: readonly string[],
  { entry, inspectBrk, pauseAt, fork, pace, requestsBefore, ...options }: ReplayOptions,
): void {
  refuseBesideUrl(command, {
    '--entry': entry,
    '--inspect-brk': inspectBrk,
    '--pause-at': pauseAt,
    '--fork': fork,
    '--export': options.export,
    '--pace recorded': pace === 'recorded' ? pace : undefined,
    '--requests-before': requestsBefore,
  });
}

/**
 * Runs one replay as the flags say and gives its report; `asked` stands in the place of their plan. The agent's own output never
 * mixes with JSON or Markdown.
 */
export async function runReplay(
  id: string,
  command: readonly string[],
  options: ReplayOptions,
  environment: NodeJS.ProcessEnv,
  asked = planOf(options),
): Promise<ReplayReport> {
  const named = await findReplayable(id, collectorUrl(options.collector));
  const guard = guardOf(options);
  const requestHeaders = headersOf(options.header ?? []);
  const throughServices = options.services === true || options.url !== undefined ? true : undefined;
  const planOptions = { ...asked.options, throughServices };
  if (options.url !== undefined) {
    const { url } = options;
    refuseOfCommands(command, options);
    const plan = makePlan(planOptions, named.recording, named.rootSpanId);
    const replayBy = (by: Plan): Promise<ReplayReport> =>
      replayAtUrl(url, { ...named, plan: by }, { guard, requestHeaders, environment });
    return asked.isAudited ? replayAudited(plan, replayBy) : replayBy(plan);
  }
  const { rootSpanId } = named;
  const entering = enteringOf(named.recording, rootSpanId, command, options);
  const recording = entering.entry === undefined ? await besideOthers(named, id, options) : alone(named, options);
  // A part of a run has selectors of its own: what encloses it does not count.
  const plan = makePlan(planOptions, recording, entering.entry === undefined ? undefined : rootSpanId);
  const exportUrl = exportUrlOf(options, plan.fork !== undefined);
  if (entering.entry !== undefined && command.length > 0) {
    process.stderr.write('The command is not run: only a part of its run is replayed, entered by its function.\n');
  }
  const isForPrograms = options.json === true || options.markdown === true;
  // While a debugger is waited for, or holds the process, that nothing is called says nothing.
  const isQuiet = options.json === true || options.inspectBrk !== undefined;
  const progress = isQuiet ? undefined : progressLine(process.stderr);
  const replayBy: AuditedReplay<ReplayReport> = (by) =>
    replayWithDebugger(
      {
        recording,
        rootSpanId,
        plan: by,
        exportUrl,
        guard,
        ...entering,
        pace: options.pace,
        environment: propagating(environment, options),
        services:
          plan.throughServices === true
            ? replayServiceSettings({ ...environment, REENACT_TOKEN: collectorToken() })
            : undefined,
        registerUrl,
        requestHeaders,
        stdio: isForPrograms ? 'stderr' : 'inherit',
        onProgress: progress === undefined ? undefined : (reached) => progress.tell(reached),
      },
      options,
    );
  try {
    const report = await (asked.isAudited ? replayAudited(plan, replayBy) : replayBy(plan));
    return withChangesSince(report, recording);
  } finally {
    progress?.end();
  }
}

/** Prints a report in the format the flags ask for. */
export function printReport(report: ReplayReport, options: ReplayOptions, terminal: Terminal): void {
  if (options.json === true) terminal.out(renderJson(report));
  else if (options.markdown === true) terminal.out(renderMarkdown(report, { advice: typedAdvice }));
  else
    terminal.out(`\n${renderText(report, { color: terminal.colour, columns: terminal.columns, advice: typedAdvice })}`);
}

interface ReplayCommandOptions extends ReplayOptions {
  readonly session?: string;
}

function refuseForkOfSeveral({ options }: AskedPlan, what: string, next: string): void {
  const fork = options.fork ?? options.file?.fork;
  if (fork === undefined) return;
  throw new ReenactError('bad-argument', `A fork is made from one run, and ${what} several.`, {
    where: options.fork === undefined ? 'the plan file' : '--fork',
    next,
  });
}

/** Several runs share their command, or the function that enters them. */
function requireEntering(command: readonly string[], options: ReplayOptions, id: string): void {
  const named = options.config ?? namedConfig(process.env);
  const isEnteredByFunction = options.entry !== undefined || named !== undefined;
  if (isEnteredByFunction || findConfigFile(process.cwd()) !== undefined) return;
  requireCommand(command, id, 'replay');
}

async function replayAs(
  operands: ReplayOperands,
  options: ReplayCommandOptions,
  { terminal, environment, exitWith }: CommandContext,
): Promise<void> {
  const { session } = options;
  const ids = await namedRuns(operands.ids, collectorUrl(options.collector), terminal);
  const [id, ...others] = ids;
  const { command } = operands;
  const asked = planOf(options);
  const replayOne = (source: string, plan: PlanOptions): Promise<ReplayReport> =>
    runReplay(source, command, options, environment, { ...asked, options: plan });
  if (session !== undefined) {
    if (id !== undefined) {
      throw new ReenactError('bad-argument', '--session names its runs, and no others can be named beside it.', {
        where: id,
        next: 'Leave out the id, or the flag.',
      });
    }
    refuseForkOfSeveral(asked, '--session names', 'Fork one of them: `reenact runs --session <id>` lists them.');
    requireEntering(command, options, `--session ${session}`);
    exitWith(await replaySession(session, options, terminal, replayOne));
  } else if (id === undefined) {
    throw new ReenactError('bad-argument', 'There is no run to replay.', {
      next: 'Name one: `reenact replay latest -- node app.mjs`, or an id in its place. `reenact runs` lists them.',
    });
  } else if (others.length > 0) {
    refuseForkOfSeveral(asked, 'these are', 'Name one of them.');
    requireEntering(command, options, ids.join(' '));
    exitWith(await replaySeveral(ids, options, terminal, replayOne));
  } else {
    const report = await replayOne(id, asked.options);
    printReport(report, options, terminal);
    exitWith(report.exitCode);
  }
}

/** The command line as it was given: only there the two dashes can be seen. */
function rawLineOf(program: Command | null): readonly string[] {
  const raw: unknown = program === null ? undefined : Reflect.get(program, 'rawArgs');
  return Array.isArray(raw) ? raw : process.argv;
}

/** `reenact replay <id-or-file> -- <command>`: re-runs a recorded run, or with --session those of a conversation. */
export function addReplayCommand(program: Command, context: CommandContext): void {
  const replay = program
    .command('replay')
    .description('run your agent again with everything it received the first time: no model call, no tool side effect')
    .argument('[id]', 'trace id, span id, latest, or a fixture file; several may be given; left out with --session')
    .argument('[command...]', 'how your agent is started, after --; left out where a function enters the replay')
    .option('--session <id>', 'replay every run of this conversation in order, each with the same command');
  addRequestsBeforeFlag(addServicesFlags(addDebugFlags(addPlanFlags(replay))), 'send first')
    .option(
      '--allow-host <host>',
      'let code without a boundary reach this host: name, *.name or address, with or without :port; may be repeated',
      repeat,
      [],
    )
    .option(
      '--allow-path <path>',
      'let code without a boundary write this file, or all below this folder; may be repeated',
      repeat,
      [],
    )
    .option(
      '--allow-program <program>',
      'let code without a boundary start this program for real: name or absolute path; may be repeated',
      repeat,
      [],
    )
    .option(
      '--header <name: value>',
      'for a run that an HTTP request or gRPC call entered: send this header with it, as for a redacted credential; may be repeated',
      repeat,
      [],
    )
    .option('--entry <file#export>', 'call this function with the recorded input instead of running a command')
    .option(
      '--config <file>',
      'configuration with entries (default: $REENACT_CONFIG, else reenact.config.ts, looked for from here upwards)',
    )
    .addOption(
      new Option('--pace <pace>', 'recorded: give what was recorded after the recorded delays')
        .choices(PACES)
        .default('virtual', 'virtual: without waiting'),
    )
    .option(
      '--export [url]',
      'send the spans of the replay to this OTLP/HTTP endpoint, to be seen in Jaeger (default: the collector)',
    )
    .option('--json', "print the report as JSON; the agent's output goes to standard error")
    .addOption(new Option('--markdown', 'print the report as Markdown for a pull request').conflicts('json'))
    .addOption(collectorOption())
    .addHelpText(
      'after',
      exitCodesHelp({
        0: 'reproduced',
        1: 'diverged',
        2: 'nothing compared, or unusable input',
        3: 'a forbidden effect was attempted',
      }),
    )
    .action((id: string | undefined, rest: string[], options: ReplayCommandOptions, { parent }: Command) =>
      replayAs(replayOperands(id === undefined ? [] : [id, ...rest], rawLineOf(parent), options), options, context),
    );
}
