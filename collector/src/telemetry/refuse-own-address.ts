import { ReenactError } from '@reenact/trace-model';
import { isLoopback } from '../access/is-loopback.ts';
import type { MetricsTarget } from '../config.ts';

/**
 * Throws ReenactError `bad-config` where the target is the collector itself: each export would be a request that changes what
 * the next one says, and that is forwarded to all destinations.
 */
export function refuseOwnAddress({ url }: MetricsTarget, host: string, port: number): void {
  const target = new URL(url);
  const targetPort = Number(target.port || (target.protocol === 'https:' ? 443 : 80));
  const targetHost = target.hostname.replace(/^\[|\]$/g, '');
  const isEverywhere = host === '0.0.0.0' || host === '::';
  const isHere = targetHost === host || (isLoopback(targetHost) && (isLoopback(host) || isEverywhere));
  if (targetPort !== port || !isHere) return;
  throw new ReenactError('bad-config', 'The collector would send its own metrics to itself.', {
    where: 'metricsExport.url',
    next: 'Name another OTLP endpoint, or fetch /metrics.',
  });
}
