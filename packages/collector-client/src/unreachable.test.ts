import { afterEach, describe, expect, it, vi } from 'vitest';
import { unreachable } from './unreachable.ts';

/** As fetch throws it. */
function failedWith(code: string): Error {
  return new TypeError('fetch failed', { cause: Object.assign(new Error('refused'), { code }) });
}

describe('a collector that cannot be asked over TLS', () => {
  it.each([
    ['CERT_HAS_EXPIRED', 'certificate has expired', 'Replace the files of `tls`'],
    ['CERT_NOT_YET_VALID', 'not valid yet', 'clock'],
    ['ERR_TLS_CERT_ALTNAME_INVALID', 'for another name', 'subjectAltName'],
    ['DEPTH_ZERO_SELF_SIGNED_CERT', 'do not trust each other', 'Name the authority'],
    ['UNABLE_TO_VERIFY_LEAF_SIGNATURE', 'do not trust each other', 'Name the authority'],
    ['ERR_OSSL_X509_KEY_VALUES_MISMATCH', 'cannot be used together', 'OTEL_EXPORTER_OTLP_CLIENT_KEY'],
    ['ERR_OSSL_PEM_NO_START_LINE', 'cannot be used together', 'PEM'],
    ['ECONNRESET', 'closed without an answer', 'OTEL_EXPORTER_OTLP_CLIENT_CERTIFICATE'],
    ['ERR_SSL_WRONG_VERSION_NUMBER', 'does not speak TLS', 'http://'],
  ])('is told about for %s', (code, message, next) => {
    expect(unreachable('https://collector.example', failedWith(code))).toMatchObject({
      code: 'collector-unreachable',
      message: expect.stringContaining(message),
      next: expect.stringContaining(next),
    });
  });
});

describe('a collector that is asked by way of a proxy', () => {
  afterEach(() => vi.unstubAllEnvs());

  it('is told about with the variable that leaves the proxy out', () => {
    vi.stubEnv('NODE_USE_ENV_PROXY', '1');
    const said = (): unknown => unreachable('http://127.0.0.1:4318', failedWith('ECONNREFUSED')).next;
    expect(said()).not.toContain('NO_PROXY');
    vi.stubEnv('http_proxy', 'http://proxy.example:3128');
    expect(said()).toMatch(/HTTP_PROXY: NO_PROXY=127\.0\.0\.1 leaves that out\.$/);
  });
});

describe('a collector at a port that `fetch` never asks', () => {
  it('is told to need another one, and not to be started', async () => {
    const thrown: unknown = await fetch('http://127.0.0.1:6000').catch((error: unknown) => error);
    const { message, next } = unreachable('http://127.0.0.1:6000', thrown);
    expect(message).toContain('never asked over HTTP');
    expect(next).toContain('httpPort');
    expect(next).not.toContain('Start one');
  });
});
