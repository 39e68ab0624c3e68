import { readFileSync } from 'node:fs';
import type { CollectorClientOptions } from '@reenact/collector-client';

/** What a client has to show to a collector, and what it trusts. */
export type CollectorAccess = Pick<CollectorClientOptions, 'token' | 'tls'>;

function textOf(path: string | undefined): string | undefined {
  return path === undefined ? undefined : readFileSync(path, 'utf8');
}

/** What the commands of a stage read from these variables. */
export function collectorAccess(environment: NodeJS.ProcessEnv): CollectorAccess {
  const ca = textOf(environment.OTEL_EXPORTER_OTLP_CERTIFICATE);
  const certificate = textOf(environment.OTEL_EXPORTER_OTLP_CLIENT_CERTIFICATE);
  const key = textOf(environment.OTEL_EXPORTER_OTLP_CLIENT_KEY);
  const shown = certificate === undefined || key === undefined ? {} : { certificate, key };
  return { token: environment.REENACT_TOKEN, tls: ca === undefined ? undefined : { ca, ...shown } };
}
