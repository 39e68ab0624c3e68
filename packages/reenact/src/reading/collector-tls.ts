import { readFileSync } from 'node:fs';
import type { ClientTls } from '@reenact/collector-client';
import { ReenactError } from '@reenact/trace-model';

const variables: Readonly<Record<keyof ClientTls, string>> = {
  ca: 'CERTIFICATE',
  certificate: 'CLIENT_CERTIFICATE',
  key: 'CLIENT_KEY',
};

function textOf(member: keyof ClientTls, environment: NodeJS.ProcessEnv): string | undefined {
  const names = [`OTEL_EXPORTER_OTLP_TRACES_${variables[member]}`, `OTEL_EXPORTER_OTLP_${variables[member]}`];
  const name = names.find((candidate) => (environment[candidate] ?? '') !== '');
  if (name === undefined) return undefined;
  try {
    return readFileSync(environment[name] ?? '', 'utf8');
  } catch (cause) {
    throw new ReenactError('bad-config', `The file that ${name} names cannot be read.`, {
      where: environment[name] ?? '',
      next: 'Name a PEM file, or leave the variable out.',
      cause,
    });
  }
}

/**
 * What commands trust and show where a collector encrypts: the files that OpenTelemetry's variables name, with which the same environment
 * sends its spans. Undefined where they name none, and for an address that is not `https:`. Throws ReenactError `bad-config` for a file
 * that cannot be read.
 */
export function collectorTls(url: string, environment: NodeJS.ProcessEnv = process.env): ClientTls | undefined {
  if (!/^https:/i.test(url)) return undefined;
  const [ca, certificate, key] = (['ca', 'certificate', 'key'] as const).map((name) => textOf(name, environment));
  if (ca === undefined && certificate === undefined && key === undefined) return undefined;
  return {
    ...(ca === undefined ? {} : { ca }),
    ...(certificate === undefined ? {} : { certificate }),
    ...(key === undefined ? {} : { key }),
  };
}
