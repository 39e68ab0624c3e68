import { loadTls, loadTokens } from './access/load-access.ts';
import { type CollectorConfigInput, parseCollectorConfig } from './config.ts';
import { loadSenderAccess } from './forward/sender-access.ts';
import { refuseOwnAddress } from './telemetry/refuse-own-address.ts';

/** What a configuration that can be used amounts to. */
export interface CheckedConfig {
  /** How many tokens are known, those of the file included. */
  readonly tokens: number;
  readonly isEncrypted: boolean;
}

/**
 * Checks a configuration as a start does, with the files it names, and opens nothing. Throws ReenactError `bad-config`.
 */
export function checkCollectorConfig(config: CollectorConfigInput): CheckedConfig {
  const parsed = parseCollectorConfig(config);
  const tokens = loadTokens(parsed).count;
  if (parsed.tls !== undefined) loadTls(parsed.tls);
  if (parsed.metricsExport !== undefined) refuseOwnAddress(parsed.metricsExport, parsed.host, parsed.httpPort);
  for (const destination of parsed.forward) loadSenderAccess(destination);
  return { tokens, isEncrypted: parsed.tls !== undefined };
}
