import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import { collectorTls } from './collector-tls.ts';

const here = fileURLToPath(import.meta.url);

it('reads the files of traces before those of all signals, and none for an address that is not encrypted', () => {
  const environment = { OTEL_EXPORTER_OTLP_CERTIFICATE: '/gone', OTEL_EXPORTER_OTLP_TRACES_CERTIFICATE: here };
  expect(collectorTls('https://collector', environment)?.ca).toContain('collectorTls');
  expect(collectorTls('http://collector', { OTEL_EXPORTER_OTLP_CERTIFICATE: '/gone' })).toBeUndefined();
  expect(collectorTls('https://collector', {})).toBeUndefined();
  expect(() => collectorTls('https://collector', { OTEL_EXPORTER_OTLP_CLIENT_KEY: '/gone' })).toThrow(
    expect.objectContaining({ code: 'bad-config', where: '/gone' }),
  );
});
