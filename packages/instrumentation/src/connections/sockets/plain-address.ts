import { isIP } from 'node:net';

/** What `plainAddress` gives for every address that leads back to the machine wherever it is. */
export const LOOPBACK = 'loopback';

function mapped(groups: string): string | undefined {
  const [, high, low] = /^::ffff:([\da-f]{1,4}):([\da-f]{1,4})$/.exec(groups) ?? [];
  if (high === undefined || low === undefined) return undefined;
  return [high, low].flatMap((group) => [Number.parseInt(group, 16) >> 8, Number.parseInt(group, 16) & 255]).join('.');
}

/**
 * An address in one form: IPv4 that is written as IPv6, and IPv6 in whichever way it is written. Whatever leads back to the machine, as to connect
 * to no address in particular does, is one and the same. Undefined of a name, but of `localhost`.
 */
export function plainAddress(host: string): string | undefined {
  const [address = ''] = host.toLowerCase().split('%');
  if (address === 'localhost' || address.endsWith('.localhost')) return LOOPBACK;
  switch (isIP(address)) {
    case 4:
      return address.startsWith('127.') || address === '0.0.0.0' ? LOOPBACK : address;
    case 6: {
      const written = new URL(`http://[${address}]`).hostname.slice(1, -1);
      const older = mapped(written);
      if (older !== undefined) return plainAddress(older);
      return written === '::1' || written === '::' ? LOOPBACK : written;
    }
    default:
      return undefined;
  }
}
