import { ownCommand } from '../terminal/own-command.ts';
import type { Terminal } from '../terminal/terminal.ts';

/**
 * Says on standard error that processes of this machine left recordings on the disk for the collector at `url`, where any did: a list
 * without them looks whole, and `latest` is none of them. Never throws.
 */
export async function tellLeftInSpool(
  url: string,
  environment: NodeJS.ProcessEnv,
  terminal: Pick<Terminal, 'err'>,
): Promise<void> {
  // Loaded here: a list is printed without it.
  const { addressWithoutSecrets, destinationKey, listSpoolFolders, spoolPlaces, thisOwner, tracesEndpoint } =
    await import('@reenact/instrumentation');
  const key = destinationKey(`${url.replace(/\/+$/, '')}/v1/traces`);
  const { scope } = thisOwner(key);
  const left = spoolPlaces(environment)
    .flatMap((place) => listSpoolFolders(place, scope))
    .filter(({ owner, isLeftBehind, segmentCount }) => isLeftBehind && owner.destination === key && segmentCount > 0);
  if (left.length === 0) return;
  const whose = left.length === 1 ? 'A process' : `${left.length} processes`;
  const address =
    key === destinationKey(tracesEndpoint(environment))
      ? ''
      : `OTEL_EXPORTER_OTLP_ENDPOINT=${addressWithoutSecrets(url)} `;
  terminal.err(
    `${whose} of this machine left recordings on the disk that this collector does not have yet. Hand them over: ${address}${ownCommand()} spool deliver`,
  );
}
