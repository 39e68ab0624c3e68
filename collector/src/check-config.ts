import { authoritiesTrouble, certificateTrouble } from './access/certificate-pair.ts';
import { loadTls, loadTokens } from './access/load-access.ts';
import { type CollectorConfig, type CollectorConfigInput, type Destination, lookThroughConfig } from './config.ts';
import { loadSenderAccess } from './forward/sender-access.ts';
import { refuseOwnAddress } from './telemetry/refuse-own-address.ts';

/** What a configuration that can be used amounts to. */
export interface CheckedConfig {
  /** How many tokens are known, those of the file included. */
  readonly tokens: number;
  readonly isEncrypted: boolean;
  /** Certificates that have ended or are of the future, one sentence each: a collector starts with them, and connections fail. */
  readonly warnings: readonly string[];
}

/**
 * Checks a configuration as a start does, with the files it names, and opens nothing. Throws ReenactError `bad-config`, of all that is wrong.
 */
export function checkCollectorConfig(input: CollectorConfigInput, nowMs: number = Date.now()): CheckedConfig {
  const { config, mistakes, check } = lookThroughConfig(input);
  const { metricsExport, forward, host, httpPort, tls } = config;
  let tokens = 0;
  const warnings: string[] = [];
  check(['tokens', 'tokensFile', 'host'], () => {
    tokens = loadTokens(config).count;
  });
  check(['metricsExport', 'host', 'httpPort'], () => {
    if (metricsExport !== undefined) refuseOwnAddress(metricsExport, host, httpPort);
  });
  check(['tls'], () => warnings.push(...ownWarnings(config, nowMs)));
  for (const destination of forward)
    check(['forward'], () => warnings.push(...destinationWarnings(destination, nowMs)));
  mistakes.throwAny();
  return { tokens, isEncrypted: tls !== undefined, warnings };
}

function ownWarnings({ tls }: CollectorConfig, nowMs: number): string[] {
  if (tls === undefined) return [];
  const { certificate, clientCa } = loadTls(tls);
  return [
    ...warningOf('tls.certificateFile', tls.certificateFile, certificateTrouble(certificate, nowMs)),
    ...warningOf('tls.clientCaFile', tls.clientCaFile, clientCa && authoritiesTrouble(clientCa, nowMs)),
  ];
}

function destinationWarnings(destination: Destination, nowMs: number): string[] {
  const { certificate, ca } = loadSenderAccess(destination);
  const { name, tls = {} } = destination;
  return [
    ...warningOf(
      `forward.${name}.tls.certificateFile`,
      tls.certificateFile,
      certificate && certificateTrouble(certificate, nowMs),
    ),
    ...warningOf(`forward.${name}.tls.caFile`, tls.caFile, ca && authoritiesTrouble(ca, nowMs)),
  ];
}

function warningOf(key: string, file: string | undefined, trouble: string | undefined): string[] {
  return trouble === undefined ? [] : [`The certificate of ${key} ${trouble}: ${file}.`];
}
