import { createCollectorClient } from '@reenact/collector-client';
import { ReenactError } from '@reenact/trace-model';
import { type RunQuery, type RunSummary, runQuerySchema } from '@reenact/trace-model/collector-api';
import type { Command } from 'commander';
import { collectorToken } from '../collector-token.ts';
import { collectorUrl } from '../recording-source.ts';
import { alignColumns, cutTo, humanDuration, paint, type Terminal } from '../terminal.ts';
import type { CommandContext } from './command-context.ts';

interface RunsOptions {
  readonly service?: string;
  readonly status?: string;
  readonly agent?: string;
  readonly session?: string;
  readonly since?: string;
  readonly until?: string;
  readonly limit: string;
  readonly json?: boolean;
  readonly collector?: string;
}

const NAME_COLUMNS_MAX = 40;

/** What each flag takes, in words: the schema it is checked against speaks of the API's parameters. */
const wanted: Readonly<Record<string, string>> = {
  limit: 'not a whole number from 1 to 500',
  status: 'neither ok nor error',
  since: 'not a time such as 2026-11-17 or 2026-11-17T15:14Z',
  until: 'not a time such as 2026-11-17 or 2026-11-17T15:14Z',
  service: 'empty',
  agent: 'empty',
  session: 'empty',
};

/** A time as people write it, `2026-11-17` or `2026-11-17T15:14`, as the API wants it. */
function toIsoTime(text: string | undefined): string | undefined {
  if (text === undefined) return undefined;
  const time = new Date(text);
  return Number.isNaN(time.getTime()) ? text : time.toISOString();
}

function toQuery({ service, status, agent, session, since, until, limit }: RunsOptions): RunQuery {
  const given = { service, status, agent, session, since: toIsoTime(since), until: toIsoTime(until), limit };
  const parsed = runQuerySchema.safeParse(
    Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined)),
  );
  if (parsed.success) return parsed.data;
  const name = parsed.error.issues[0]?.path.join('.') ?? '';
  throw new ReenactError('bad-argument', `--${name} cannot be used: it is ${wanted[name] ?? 'malformed'}.`, {
    where: `--${name}`,
    next: 'See `reenact runs --help`.',
  });
}

function row(run: RunSummary): string[] {
  const { verdict } = run.replayability;
  return [
    run.startedAt.replace('T', ' ').replace(/\.\d+Z$/, ''),
    run.status === 'ok' ? '✓' : '✗',
    cutTo(run.name, NAME_COLUMNS_MAX),
    run.service,
    `${run.crossingCount}`,
    `${run.inputTokens}→${run.outputTokens}`,
    humanDuration(run.durationMs),
    verdict,
    run.flaggedCount === undefined ? '' : `${run.flaggedCount}`,
    run.rootSpanId,
  ];
}

function printRuns(runs: readonly RunSummary[], terminal: Terminal): void {
  if (runs.length === 0) {
    terminal.out(
      'No runs yet. Record one with: OTEL_EXPORTER_OTLP_ENDPOINT=<this collector> node --import reenact/register app.mjs',
    );
    return;
  }
  const heading = [
    'started (UTC)',
    '',
    'run',
    'service',
    'crossings',
    'tokens',
    'took',
    'replayable',
    'flagged',
    'span id',
  ];
  const [first = '', ...lines] = alignColumns([heading, ...runs.map(row)]);
  terminal.out(paint(terminal, 'quiet', first));
  for (const line of lines) terminal.out(line);
}

/** `reenact runs`: what the collector has, newest first. */
export function addRunsCommand(program: Command, { terminal }: CommandContext): void {
  program
    .command('runs')
    .description('list the recorded runs, newest first')
    .option('--service <name>', 'only this service')
    .option('--status <status>', 'only runs that ended ok or in error')
    .option('--agent <name>', 'only runs of this agent')
    .option('--session <id>', 'only runs of this session or conversation')
    .option('--since <time>', 'only runs that started at this time or later, as 2026-11-17 or 2026-11-17T15:14Z')
    .option('--until <time>', 'only runs that started before this time')
    .option('--limit <count>', 'how many at most', '50')
    .option('--json', 'print JSON')
    .option('--collector <url>', 'collector to read from (default: $REENACT_COLLECTOR, else http://127.0.0.1:4318)')
    .action(async (options: RunsOptions) => {
      const list = await createCollectorClient({
        url: collectorUrl(options.collector),
        token: collectorToken(),
      }).listRuns(toQuery(options));
      if (options.json === true) {
        terminal.out(JSON.stringify(list, null, 2));
        return;
      }
      printRuns(list.runs, terminal);
      if (list.nextCursor !== undefined)
        terminal.err(`There are more: raise --limit, or narrow with --since, --service or --status.`);
    });
}
