import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http';
import {
  type DeliveredLeftovers,
  deliverLeftovers,
  destinationKey,
  isSameSender,
  listSpoolFolders,
  preparePlace,
  type SpoolFolder,
  senderOf,
  spoolPlaces,
  thisOwner,
  tracesEndpoint,
} from '@reenact/instrumentation';
import { ReenactError } from '@reenact/trace-model';
import { counted } from '@reenact/trace-model/words';
import type { Command } from 'commander';
import { paint, type Terminal } from '../terminal/terminal.ts';
import type { CommandContext } from './command-context.ts';
import { exitCodesHelp } from './exit-codes.ts';

const actions = ['status', 'deliver'] as const;

interface SpoolCommandOptions {
  readonly json?: boolean;
  readonly anyToken?: boolean;
}

function megabytes(sizeBytes: number): string {
  return `${(sizeBytes / 1_000_000).toFixed(2)} MB`;
}

function placeOf(environment: NodeJS.ProcessEnv): string {
  const places = spoolPlaces(environment);
  const place = preparePlace(places);
  if (place !== undefined) return place;
  throw new ReenactError('bad-config', 'There is no folder that the spool can be kept in.', {
    where: places.join(', '),
    next: 'Set REENACT_SPOOL_DIR to a folder that is yours and can be written.',
  });
}

function printFolder(folder: SpoolFolder, sender: string | undefined, { columns, wraps, out }: Terminal): void {
  const { path, destination, isLeftBehind, owner, sizeBytes } = folder;
  const whose = isLeftBehind ? `left by process ${owner.processId}` : `in use by process ${owner.processId}`;
  const token = isSameSender(folder.sender, sender) ? '' : ' with another token';
  const facts = [whose, `${megabytes(sizeBytes)} for ${destination}${token}`, path];
  const [first = '', ...others] = facts;
  const line = facts.join(' · ');
  if (!wraps || line.length <= columns) out(line);
  else for (const part of [first, ...others.map((fact) => `  ${fact}`)]) out(part);
}

function status({ terminal, environment }: CommandContext, options: SpoolCommandOptions): void {
  const directory = placeOf(environment);
  const folders = listSpoolFolders(directory, thisOwner(destinationKey(tracesEndpoint(environment))).scope);
  if (options.json === true) {
    const shown = folders.map(({ owner, sender: _, ...folder }) => ({ ...folder, processId: owner.processId }));
    terminal.out(JSON.stringify({ directory, folders: shown }));
    return;
  }
  if (folders.length === 0) terminal.out(`Nothing waits in ${directory}.`);
  for (const folder of folders) printFolder(folder, senderOf(environment), terminal);
}

function sentence({ delivered, cut, refused, unreadable, segmentsGivenUp }: DeliveredLeftovers): string {
  const further = [
    ...(cut === 0 ? [] : [`${cut} of them without their payloads, too large for the collector`]),
    ...(refused === 0 ? [] : [`${refused} refused by the collector for good`]),
    ...(unreadable === 0 ? [] : [`${unreadable} not readable by this version`]),
    ...(segmentsGivenUp === 0 ? [] : [`${segmentsGivenUp} of the oldest segments given up for want of room`]),
  ];
  return [`${counted(delivered, 'span')} delivered`, ...further].join(' · ');
}

/** Whoever was told to deliver what a process left may do so where another address is set, or none. */
function printOthers({ terminal, environment }: CommandContext, scope: string): void {
  const destination = tracesEndpoint(environment);
  const others = listSpoolFolders(placeOf(environment), scope).filter(
    (folder) => folder.isLeftBehind && folder.destination !== destination,
  );
  if (others.length === 0) return;
  const addresses = [...new Set(others.map((folder) => folder.destination))].join(', ');
  terminal.err(
    `What is for another address stays (${counted(others.length, 'folder')}): set OTEL_EXPORTER_OTLP_ENDPOINT as it was for ${addresses}.`,
  );
}

async function deliver(context: CommandContext, options: SpoolCommandOptions): Promise<void> {
  const { terminal, environment } = context;
  const destination = tracesEndpoint(environment);
  const exporter = new OTLPTraceExporter();
  const owner = thisOwner(destinationKey(destination));
  const sender = options.anyToken === true ? undefined : senderOf(environment);
  const result = await deliverLeftovers({ place: placeOf(environment), owner, exporter, sender });
  await exporter.shutdown();
  if (options.json === true) terminal.out(JSON.stringify({ destination, ...result }));
  else
    terminal.out(`${paint(terminal, result.isDone ? 'good' : 'warning', '●')} ${sentence(result)} to ${destination}`);
  if (result.isDone && result.ofOthers > 0) {
    const next =
      'Set OTEL_EXPORTER_OTLP_HEADERS to what they had; or, where their token was replaced by this one, add --any-token.';
    throw new ReenactError(
      'unauthenticated',
      `${result.ofOthers} processes recorded with another token, and what they left stays.`,
      {
        where: destination,
        next,
      },
    );
  }
  if (result.isDone) return printOthers(context, owner.scope);
  throw notDelivered(result.failure, destination);
}

/** Why what waits could not be handed over: a collector that wants another token is there, and starting one helps nobody. */
function notDelivered(failure: string | undefined, where: string): ReenactError {
  const message = `What is left in the spool could not be delivered${failure === undefined ? '' : `: ${failure}`}.`;
  if (/\bstatus 40[13]$/.test(failure ?? '')) {
    const next = 'Set OTEL_EXPORTER_OTLP_HEADERS=authorization=Bearer%20<token> to a token with the scope ingest.';
    return new ReenactError('access-denied', message, { where, next });
  }
  const next = 'Start the collector, or set OTEL_EXPORTER_OTLP_ENDPOINT to where the spans were meant to go.';
  return new ReenactError('collector-unreachable', message, { where, next, retryable: true });
}

/** `reenact spool [action]`: what processes left on the disk because the collector was away. */
export function addSpoolCommand(program: Command, context: CommandContext): void {
  program
    .command('spool')
    .description('show or deliver what processes left on the disk because the collector was away')
    .argument('[action]', 'status, or deliver (default: status)')
    .option('--any-token', 'deliver: also what was recorded with another token, which this one has replaced')
    .option('--json', 'print one JSON document')
    .addHelpText(
      'after',
      exitCodesHelp({
        0: 'nothing is left for this address',
        2: 'unusable input, or the collector could not be reached',
      }),
    )
    .action(async (action: string | undefined, options: SpoolCommandOptions) => {
      switch (actions.find((known) => known === (action ?? 'status'))) {
        case 'status':
          return status(context, options);
        case 'deliver':
          return deliver(context, options);
        case undefined:
          throw new ReenactError('bad-argument', `"${action ?? ''}" is nothing that can be done with the spool.`, {
            where: action ?? '',
            next: 'Use `reenact spool status` or `reenact spool deliver`.',
          });
      }
    });
}
