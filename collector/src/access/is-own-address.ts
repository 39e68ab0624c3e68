import { isLoopback, urlPlace } from '@reenact/trace-model';
import { isEverywhere } from './is-everywhere.ts';

/** Whether a URL names the port that a collector itself listens on, as far as the address says so. */
export function isOwnAddress(url: string, host: string, port: number): boolean {
  const target = urlPlace(new URL(url));
  const isHere = target.host === host || (isLoopback(target.host) && (isLoopback(host) || isEverywhere(host)));
  return target.port === port && isHere;
}
