import {
  runStoreRequest,
  type StoreOutcome,
  type StoreRequest,
  type VerifyReport,
  verifyStore,
} from '@reenact/collector';
import { ReenactError, shellWord } from '@reenact/trace-model';
import { counted } from '@reenact/trace-model/words';
import type { Command } from 'commander';
import { CONFIG_FILE_VARIABLE, collectorVariable } from '../collecting/collector-environment.ts';
import { collectorSettings } from '../collecting/collector-settings.ts';
import { retentionLines } from '../rendering/retention-lines.ts';
import { typedAdvice } from '../terminal/own-command.ts';
import { paint, type Terminal } from '../terminal/terminal.ts';
import type { CommandContext } from './command-context.ts';
import { exitCodesHelp } from './exit-codes.ts';

interface StoreOptions {
  readonly data: string;
  readonly tenant: string;
  readonly user?: string;
  readonly wholeTenant?: boolean;
  readonly reason?: string;
  readonly config?: string;
  readonly rebuildIndex?: boolean;
  readonly json?: boolean;
}

const EXIT_DAMAGED = 1;
const EXIT_UNREAD = 1;
const PROBLEMS_SHOWN_MAX = 20;

function needed(value: string | undefined, action: string, what: string): string {
  if (value !== undefined && value !== '') return value;
  throw new ReenactError('bad-argument', `\`reenact store ${action}\` needs ${what}.`, {
    next: 'See `reenact store --help`.',
  });
}

function idOfRun(text: string): string {
  if (/^(?:[\da-f]{16}|[\da-f]{32})$/i.test(text)) return text;
  throw new ReenactError('bad-argument', `"${text}" is neither a trace id nor a span id.`, {
    where: text,
    next: 'Give 32 hex digits for a trace, or 16 for a span; `reenact runs` lists them.',
  });
}

/** A directory that stood there in vain would be taken for the one that was looked at. */
function refuseTarget(target: string | undefined, action: string): void {
  if (target === undefined) return;
  throw new ReenactError(
    'bad-argument',
    `\`reenact store ${action}\` takes no target: its directory is named by --data.`,
    {
      where: target,
      next: `Leave "${target}" out, or write --data ${target} where that is the directory.`,
    },
  );
}

/** What a deletion is about: exactly one of a trace, a user and a tenant. */
function toDeletion(target: string | undefined, { tenant, user, wholeTenant }: StoreOptions): StoreRequest {
  const named = [target, user, wholeTenant].filter((value) => value !== undefined);
  if (named.length !== 1) {
    throw new ReenactError('bad-argument', 'A deletion takes exactly one of: an id, --user, --whole-tenant.', {
      next: 'Name what shall be gone, and only that; it cannot be taken back.',
    });
  }
  if (target !== undefined) return { type: 'delete-trace', tenant, id: idOfRun(target) };
  if (user !== undefined)
    return { type: 'delete-user', tenant, user: needed(user, 'delete --user', 'the id of a user') };
  return { type: 'delete-tenant', tenant };
}

/** Where nothing is said of them, the settings are those of whoever answers: a collector that runs knows its own. */
function toPreview({ config }: StoreOptions, environment: NodeJS.ProcessEnv): StoreRequest {
  const isSaid = [config, environment[CONFIG_FILE_VARIABLE], environment[collectorVariable('retention')]].some(Boolean);
  if (!isSaid) return { type: 'preview' };
  const { retention } = collectorSettings({ config, forward: [], forwardFull: [] }, environment);
  return { type: 'preview', retention };
}

function toRequest(
  action: string,
  target: string | undefined,
  options: StoreOptions,
  environment: NodeJS.ProcessEnv,
): StoreRequest {
  const { tenant, reason } = options;
  switch (action) {
    case 'backup':
      return { type: 'backup', directory: needed(target, action, 'the directory to copy to') };
    case 'delete':
      return toDeletion(target, options);
    case 'keep':
      return {
        type: 'keep',
        tenant,
        id: idOfRun(needed(target, action, 'the id of a run')),
        reason: reason ?? 'kept by hand',
      };
    case 'release':
      return { type: 'keep', tenant, id: idOfRun(needed(target, action, 'the id of a run')) };
    case 'drop-queue':
      return { type: 'drop-queue', destination: needed(target, action, 'the name of a destination') };
    case 'settle':
      refuseTarget(target, action);
      return { type: 'settle' };
    case 'preview':
      refuseTarget(target, action);
      return toPreview(options, environment);
    default:
      throw new ReenactError('bad-argument', `There is no \`reenact store ${action}\`.`, {
        where: action,
        next: 'Use verify, backup, delete, keep, release, drop-queue, settle or preview.',
      });
  }
}

/** What can be done about what a check found in a directory. */
function adviceOn({ problems }: VerifyReport, isRebuilt: boolean, directory: string): string | undefined {
  const isIn = (...parts: readonly string[]): boolean => problems.some(({ part }) => parts.includes(part));
  if (!isRebuilt && isIn('index', 'search', 'log', 'pack'))
    return `Next: put files that are gone back, where they are somewhere, and check again. Then \`reenact store verify --rebuild-index --data ${shellWord(directory)}\` makes the index again from all that can be read, and writes damaged heads of files anew.`;
  if (isIn('log', 'pack', 'chain'))
    return 'Next: what these files have lost comes back from a backup alone, and everything else is served. `reenact docs collector-operation` says what becomes of each.';
  return undefined;
}

function printReport(report: VerifyReport, terminal: Terminal, { data, rebuildIndex }: StoreOptions): void {
  const { frames, items, packs, blocks, erased, problems, chainHead, queuedAgain = {} } = report;
  const mark = problems.length === 0 ? paint(terminal, 'good', '✓') : paint(terminal, 'bad', '✗');
  const gone = erased === 0 ? '' : `, ${erased} deleted since`;
  terminal.out(
    `${mark} ${counted(items, 'item')} in ${counted(packs, 'pack')} (${counted(blocks, 'block')}) and the log, ${counted(frames, 'frame')} in the chain${gone}`,
  );
  for (const { part, where, what } of problems.slice(0, PROBLEMS_SHOWN_MAX))
    terminal.out(`  ${part}: ${what} (${where})`);
  if (problems.length > PROBLEMS_SHOWN_MAX) terminal.out(`  and ${problems.length - PROBLEMS_SHOWN_MAX} more: --json`);
  for (const [destination, count] of Object.entries(queuedAgain))
    terminal.out(
      `  ${count} items are queued again for ${destination}, as the index was lost: what had been delivered comes twice, and metrics that waited are gone`,
    );
  terminal.out(paint(terminal, 'quiet', `  chain head ${chainHead}`));
  const advice = adviceOn(report, rebuildIndex === true, data);
  if (advice !== undefined) terminal.out(typedAdvice(advice));
}

function verify(options: StoreOptions, { terminal, exitWith }: CommandContext): void {
  const report = verifyStore(options.data, {
    rebuildIndex: options.rebuildIndex === true,
    onProgress: (step) => terminal.err(paint(terminal, 'quiet', `reading ${step}`)),
  });
  if (options.json === true) terminal.out(JSON.stringify(report, null, 2));
  else printReport(report, terminal, options);
  if (report.problems.length > 0) exitWith(EXIT_DAMAGED);
}

/** What nobody has is no error: a deletion may be asked for twice. But one that was mistyped must not read as done. */
function deletionText({ deletedItems: items, isContinued }: StoreOutcome, tenant: string): string {
  if (isContinued)
    return `the collector ended before it was done: ${items} more items deleted; their bytes have left the disk`;
  if (items === 0) return `Nothing of that is stored for the tenant ${tenant}: nothing was deleted.`;
  return `${items} items deleted; their bytes have left the disk`;
}

/** What may still name the user: a deletion that leaves something must not read as if all were gone. */
function unreadText({ unreadRuns = [], hasMoreUnreadRuns }: StoreOutcome): string[] {
  if (unreadRuns.length === 0) return [];
  const [count, shown] = hasMoreUnreadRuns === true ? ['At least ', ', these among them:'] : ['', ':'];
  const first = `${count}${unreadRuns.length} runs could not be read whole, so nothing says whether they name this user; they are still there${shown}`;
  const next = `Delete them by their ids where they may (\`reenact store delete <id>\`)${hasMoreUnreadRuns === true ? '; then the next are named' : ''}.`;
  return [first, ...unreadRuns.map((traceId) => `  ${traceId}`), next];
}

/** Records that belong to no run have no id to be deleted by. */
function unreadDaysText({ unreadLogDays: days = [] }: StoreOutcome): string[] {
  if (days.length === 0) return [];
  return [
    `Log records that belong to no run could not be read, of ${days.join(', ')}, so nothing says whether they name this user; they are still there, and go by the age of their day, or with --whole-tenant.`,
  ];
}

async function act(action: string, target: string | undefined, options: StoreOptions, context: CommandContext) {
  if (action === 'verify') {
    refuseTarget(target, action);
    return verify(options, context);
  }
  const { terminal, exitWith, environment } = context;
  const outcome = await runStoreRequest(options.data, toRequest(action, target, options, environment));
  const { preview } = outcome;
  if (options.json === true) terminal.out(JSON.stringify(preview ?? outcome));
  else if (preview !== undefined) for (const line of retentionLines(preview)) terminal.out(line);
  else if (action === 'delete') {
    terminal.out(deletionText(outcome, options.tenant));
    for (const line of [...unreadText(outcome), ...unreadDaysText(outcome)]) terminal.out(line);
  } else if (action === 'drop-queue')
    terminal.out(`${outcome.droppedEntries ?? 0} entries dropped; what is stored stays`);
  else terminal.out('done');
  if (outcome.unreadRuns !== undefined || outcome.unreadLogDays !== undefined) exitWith(EXIT_UNREAD);
}

/** `reenact store`: look after a data directory, with or without a collector running on it. */
export function addStoreCommand(program: Command, context: CommandContext): void {
  program
    .command('store')
    .description('check, back up, thin out or tidy a data directory')
    .argument('<action>', 'verify, backup, delete, keep, release, drop-queue, settle or preview')
    .argument(
      '[target]',
      'backup: a new directory; delete, keep, release: a trace id or the id of any of its spans; drop-queue: the name of a destination',
    )
    .option('--data <directory>', 'the data directory', './reenact-data')
    .option('--tenant <name>', 'delete, keep, release: whose runs', 'default')
    .option('--user <id>', 'delete: every run and every log record that carries this user.id')
    .option('--whole-tenant', 'delete: everything of the tenant')
    .option('--reason <text>', 'keep: why')
    .option('--config <file>', 'preview: the configuration whose retention is asked about')
    .option('--rebuild-index', 'verify: make the index again from the other files first')
    .option('--json', 'print JSON')
    .addHelpText(
      'after',
      exitCodesHelp({
        0: 'done, or nothing wrong',
        1: 'verify found damage, or runs or log records are left that may name the user',
        2: 'unusable input, or a data directory that cannot be used',
      }),
    )
    .action((action: string, target: string | undefined, options: StoreOptions) =>
      act(action, target, options, context),
    );
}
