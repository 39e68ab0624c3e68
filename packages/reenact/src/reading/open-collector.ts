import { type CollectorClient, createCollectorClient } from '@reenact/collector-client';
import { collectorTenant, collectorToken } from './collector-access.ts';
import { collectorTls } from './collector-tls.ts';

/**
 * A client of the collector at an address, with the token, the tenant and the certificates that this command was given. Throws ReenactError
 * `bad-argument` where the address is none, and `bad-config` where a certificate cannot be read; connects to nothing yet.
 */
export function openCollector(url: string): CollectorClient {
  return createCollectorClient({ url, token: collectorToken(), tenant: collectorTenant(), tls: collectorTls(url) });
}
