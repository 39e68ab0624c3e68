import { ownCommand } from '../terminal/own-command.ts';
import type { Terminal } from '../terminal/terminal.ts';

/** How many processes of this machine left recordings on the disk for the collector that takes spans at `endpoint`. Never throws. */
export async function countLeftInSpool(endpoint: string, environment: NodeJS.ProcessEnv): Promise<number> {
  // Loaded here: a list is printed without it.
  const { destinationKey, listSpoolFolders, spoolPlaces, thisOwner } = await import('@reenact/instrumentation');
  const key = destinationKey(endpoint);
  const { scope } = thisOwner(key);
  return spoolPlaces(environment)
    .flatMap((place) => listSpoolFolders(place, scope))
    .filter(({ owner, isLeftBehind, segmentCount }) => isLeftBehind && owner.destination === key && segmentCount > 0)
    .length;
}

/**
 * Says on standard error that processes of this machine left recordings on the disk for the collector at `url`, where any did: a list
 * without them looks whole, and `latest` is none of them. One that was killed may have delivered what it left. Never throws.
 */
export async function tellLeftInSpool(
  url: string,
  environment: NodeJS.ProcessEnv,
  terminal: Pick<Terminal, 'err'>,
): Promise<void> {
  const endpoint = `${url.replace(/\/+$/, '')}/v1/traces`;
  const count = await countLeftInSpool(endpoint, environment);
  if (count === 0) return;
  const { addressWithoutSecrets, destinationKey, tracesEndpoint } = await import('@reenact/instrumentation');
  const whose = count === 1 ? 'A process' : `${count} processes`;
  const address =
    destinationKey(endpoint) === destinationKey(tracesEndpoint(environment))
      ? ''
      : `OTEL_EXPORTER_OTLP_ENDPOINT=${addressWithoutSecrets(url)} `;
  terminal.err(
    `${whose} of this machine left recordings on the disk that this collector may not have yet. Hand them over: ${address}${ownCommand()} spool deliver`,
  );
}
