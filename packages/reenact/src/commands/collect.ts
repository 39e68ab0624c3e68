import { checkCollectorConfig, collectorMemoryOf, ReloadableCollector, shownUrl } from '@reenact/collector';
import { ReenactError } from '@reenact/trace-model';
import { counted } from '@reenact/trace-model/words';
import { PAGE_DIRECTORY } from '@reenact/ui';
import type { Command } from 'commander';
import { collectLeftovers, leftForCollector } from '../collecting/collect-leftovers.ts';
import {
  type CollectorFlags,
  collectorSettings,
  type ForwardTarget,
  readSettings,
} from '../collecting/collector-settings.ts';
import { watchLeftovers } from '../collecting/watch-leftovers.ts';
import { widenPool } from '../collecting/widen-pool.ts';
import { typedAdvice } from '../terminal/own-command.ts';
import { paint } from '../terminal/terminal.ts';
import type { CommandContext } from './command-context.ts';
import { exitCodesHelp } from './exit-codes.ts';
import { notifySupervisor } from './notify-supervisor.ts';
import { portOf } from './port-of.ts';
import { reloadOnHangUp } from './reload-on-hang-up.ts';
import { untilStarterEnded } from './until-starter-ended.ts';
import { untilStopped } from './until-stopped.ts';

/** Where there is no spool. */
const nothing = { delivered: 0, cut: 0, refused: 0, isDone: true };

interface CollectOptions extends CollectorFlags {
  readonly forward: ForwardTarget[];
  readonly forwardFull: ForwardTarget[];
  readonly json?: boolean;
}

function parseForward(text: string, others: ForwardTarget[] = []): ForwardTarget[] {
  const match = /^([A-Za-z][\w-]*)=(https?:\/\/\S+)$/.exec(text);
  const [, name, url] = match ?? [];
  if (name === undefined || url === undefined || !URL.canParse(url)) {
    throw new ReenactError('bad-argument', `"${text}" is not a forwarding target.`, {
      where: text,
      next: 'Write it as <name>=<url>, for example --forward jaeger=http://127.0.0.1:14318. For gRPC use "forward" of the configuration file.',
    });
  }
  if (others.some((other) => other.name === name)) {
    throw new ReenactError('bad-argument', `Two forwarding targets are called "${name}".`, {
      where: text,
      next: 'Give each its own name.',
    });
  }
  return [...others, { name, url }];
}

/** Says what came of the spool; a spool that cannot be delivered waits where it is, as does the rest of one where a stop ends it. Never rejects. */
async function takeLeftovers(
  httpUrl: string,
  { terminal, environment }: CommandContext,
  signal: AbortSignal,
): Promise<void> {
  try {
    const { delivered, cut, refused, isDone } = (await collectLeftovers(httpUrl, environment, signal)) ?? nothing;
    const cuts = cut === 0 ? '' : `; ${cut} were too large and came without their payloads`;
    const refusals = refused === 0 ? '' : `; ${refused} were refused`;
    if (delivered + refused > 0)
      terminal.err(`${counted(delivered, 'span')} taken that processes had left in their spool${cuts}${refusals}`);
    if (!isDone && signal.aborted)
      terminal.err('The rest of what processes left in their spool waits there for the next start.');
    else if (!isDone)
      terminal.err(typedAdvice('What processes left in their spool could not be taken; `reenact spool` shows it.'));
  } catch (error) {
    terminal.err(`What processes left in their spool could not be taken: ${String(error)}`);
  }
}

/** One line that says where everything is. */
function announce({ current, config }: ReloadableCollector, { terminal }: CommandContext): void {
  const { httpUrl, grpcUrl, dataDirectory, pageUrl } = current;
  const targets = config.forward.map(({ name, url }) => ` · forwards to ${name} (${shownUrl(url)})`).join('');
  const page = pageUrl === undefined ? '' : ` · look at ${pageUrl}`;
  terminal.out(
    `${paint(terminal, 'good', '●')} collecting OTLP on ${httpUrl} (HTTP) and ${grpcUrl} (gRPC) · data in ${dataDirectory}${targets}${page}`,
  );
}

/** Undefined where the start was told to end. */
async function startUnless(
  signal: AbortSignal,
  options: CollectOptions,
  { terminal, environment }: CommandContext,
): Promise<ReloadableCollector | undefined> {
  // First, so that the files that it names are told of together with all else, and with the place where each is named.
  readSettings(options, environment, checkCollectorConfig);
  try {
    const settings = () => collectorSettings(options, environment);
    widenPool(environment, settings().references);
    return await ReloadableCollector.start(settings, {
      log: terminal.err,
      signal,
      pageDirectory: PAGE_DIRECTORY,
    });
  } catch (thrown) {
    if (!signal.aborted) throw thrown;
    return undefined;
  }
}

async function collect(options: CollectOptions, context: CommandContext): Promise<void> {
  const { terminal, environment } = context;
  const isForPeople = options.json !== true;
  const stopping = new AbortController();
  // Before the start: process 1 of a container has no use for a signal that nobody waits for.
  const stopped = Promise.race([untilStopped(), untilStarterEnded(environment)]).then(() => stopping.abort());
  const collector = await startUnless(stopping.signal, options, context);
  if (collector === undefined) {
    if (isForPeople) terminal.out('stopped');
    return;
  }
  const { httpUrl, grpcUrl, dataDirectory, pageUrl } = collector.current;
  const hangUps = reloadOnHangUp(async () => {
    if ((await collector.reload()) === 'restarted' && isForPeople) announce(collector, context);
  });
  if (isForPeople) {
    announce(collector, context);
    terminal.out(
      paint(
        terminal,
        'quiet',
        '  Point your agent here with OTEL_EXPORTER_OTLP_ENDPOINT. Stop with Ctrl-C; nothing acknowledged is lost.',
      ),
    );
  } else {
    terminal.out(
      JSON.stringify({
        httpUrl,
        grpcUrl,
        dataDirectory,
        pageUrl,
        processId: process.pid,
        memory: collectorMemoryOf(collector.config),
      }),
    );
  }
  await notifySupervisor(environment, terminal.err);
  const leftovers = watchLeftovers(
    {
      look: () => leftForCollector(collector.current.httpUrl, environment),
      take: () => takeLeftovers(collector.current.httpUrl, context, stopping.signal),
    },
    stopping.signal,
  );
  await Promise.race([stopped, hangUps.terminalClosed, collector.failed]);
  stopping.abort();
  await collector.stop({ waitsFor: 'spool', ended: leftovers });
  hangUps.ignore();
  if (isForPeople) terminal.out('stopped');
}

/** `reenact collect`: the OTLP receiver and store. */
export function addCollectCommand(program: Command, context: CommandContext): void {
  program
    .command('collect')
    .description('start the collector: receives OTLP, acknowledges what is on disk, serves recordings')
    .option(
      '--config <file>',
      'JSON file with settings (default: $REENACT_COLLECTOR_CONFIG); variables and flags win over it',
    )
    .option('--host <address>', 'address to listen on; without tokens only one of this machine (default: 127.0.0.1)')
    .option(
      '--http-port <port>',
      'port of OTLP/HTTP and the API; 0 picks a free one (default: 4318)',
      portOf('--http-port'),
    )
    .option('--grpc-port <port>', 'port of OTLP/gRPC; 0 picks a free one (default: 4317)', portOf('--grpc-port'))
    .option('--data <directory>', 'where recordings are kept (default: ./reenact-data)')
    .option(
      '--forward <name=url>',
      'send spans on to this OTLP/HTTP endpoint, to be read and without payloads; may be repeated',
      parseForward,
      [],
    )
    .option(
      '--forward-full <name=url>',
      'send spans as received on to this OTLP/HTTP endpoint; may be repeated',
      parseForward,
      [],
    )
    .option(
      '--log-level <level>',
      'what the log on standard error says: debug, info, warn, error or silent (default: warn)',
    )
    .option('--json', 'print where everything is as one line of JSON')
    .addHelpText(
      'after',
      exitCodesHelp({
        0: 'stopped as asked',
        2: 'unusable input, a port that is taken, or a data directory that cannot be used',
      }),
    )
    .action((options: CollectOptions) => collect(options, context));
}
