import { ReenactError } from '@reenact/trace-model';
import { isOwnAddress } from '../access/is-own-address.ts';
import type { MetricsTarget } from '../config.ts';

/**
 * Throws ReenactError `bad-config` where the target is the collector itself: each export would be a request that changes what
 * the next one says, and that is forwarded to all destinations.
 */
export function refuseOwnAddress({ url }: MetricsTarget, host: string, port: number): void {
  if (!isOwnAddress(url, host, port)) return;
  throw new ReenactError('bad-config', 'The collector would send its own metrics to itself.', {
    where: 'metricsExport.url',
    next: 'Name another OTLP endpoint, or fetch /metrics.',
  });
}
