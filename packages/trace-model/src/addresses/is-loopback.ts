const byte = '(25[0-5]|2[0-4]\\d|1\\d\\d|[1-9]?\\d)';
const loopback = new RegExp(`^(localhost|127(\\.${byte}){3}|::1)$`, 'i');

/** Whether a host leads back to the machine it is named on, wherever that is. `host`: a name or an address, IPv6 without brackets. */
export function isLoopback(host: string): boolean {
  return loopback.test(host);
}
