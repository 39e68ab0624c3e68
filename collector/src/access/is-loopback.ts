import { isIP } from 'node:net';

/** Whether a host is this machine only. */
export function isLoopback(host: string): boolean {
  if (host === 'localhost' || host === '::1') return true;
  return isIP(host) === 4 && host.startsWith('127.');
}

/** Whether a host to listen on is every address that this machine has. */
export function isEverywhere(host: string): boolean {
  return host === '0.0.0.0' || host === '::';
}
