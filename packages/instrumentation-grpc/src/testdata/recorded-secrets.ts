import { inspect } from 'node:util';
import type { Crossing } from '@reenact/trace-model';
import type { Door, Key, VaultClient } from './vault-service.ts';

/** Opens a door; rejects where the call fails. */
export function opening(client: VaultClient, given: Key): Promise<Door> {
  return new Promise((resolve, reject) => {
    client.open(given, (error, door) => (error === null ? resolve(door as Door) : reject(error)));
  });
}

/** Everything that was recorded, with bytes as text: as characters, and as UTF-8. */
export function shownOf(crossings: readonly Crossing[]): string {
  const shown = inspect(crossings, { depth: Infinity, maxArrayLength: null, maxStringLength: null });
  const encoded = Array.from(shown.matchAll(/[A-Za-z0-9+/]{8,}={0,2}/g), ([text]) => Buffer.from(text, 'base64'));
  const texts = encoded.flatMap((bytes) => [bytes.toString('utf8'), bytes.toString('latin1')]);
  return [shown, ...texts].join('\n');
}
