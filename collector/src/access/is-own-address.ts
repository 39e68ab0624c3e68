import { isEverywhere, isLoopback } from './is-loopback.ts';

/** Whether a URL names the port that a collector itself listens on, as far as the address says so. */
export function isOwnAddress(url: string, host: string, port: number): boolean {
  const target = new URL(url);
  const targetPort = Number(target.port || (target.protocol === 'https:' ? 443 : 80));
  const targetHost = target.hostname.replace(/^\[|\]$/g, '');
  const isHere = targetHost === host || (isLoopback(targetHost) && (isLoopback(host) || isEverywhere(host)));
  return targetPort === port && isHere;
}
