import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import type { AddressInfo } from 'node:net';
import { createServer, type TlsOptions } from 'node:tls';
import { fileURLToPath } from 'node:url';
import { afterEach, describe, expect, it } from 'vitest';
import { eventually, makeSpan, postSpans, Testbed } from '../testbed.ts';

const pathOf = (name: string) => fileURLToPath(new URL(`../receiver/certificates/${name}.pem`, import.meta.url));
const shown = (name: string) => ({ certificateFile: pathOf(name), keyFile: pathOf(`${name}-key`) });
const TRUSTED = { caFile: pathOf('ca') };

const testbed = new Testbed();
const closers: (() => void)[] = [];
afterEach(async () => {
  await testbed.dispose();
  for (const close of closers.splice(0)) close();
});

/** A port with TLS at which `refuse` hears of each connection that is not trusted. */
async function wantsCertificate(options: TlsOptions, refuse = () => {}): Promise<string> {
  const [cert, key, ca] = ['server', 'server-key', 'ca'].map((name) => readFileSync(pathOf(name)));
  const mutual = { cert, key, ca, requestCert: true, rejectUnauthorized: true, ALPNProtocols: ['h2', 'http/1.1'] };
  const server = createServer({ ...mutual, ...options }).on('tlsClientError', refuse);
  await once(server.listen(0, '127.0.0.1'), 'listening');
  closers.push(() => server.close());
  return `https://localhost:${(server.address() as AddressInfo).port}`;
}

/** Forwards one span to there, and gives what the log says of it: one line for each reason. */
async function forwardTo(url: string, protocol: 'http' | 'grpc', tls?: object): Promise<() => string[]> {
  const lines: string[] = [];
  const destination = { name: 'next', url, protocol, content: 'full' as const, ...(tls && { tls }) };
  const limits = { forwardBackoffFirstMs: 5, forwardBackoffMaxMs: 20 };
  const near = await testbed.start({ forward: [destination], limits }, { log: (line) => void lines.push(line) });
  await postSpans(near.httpUrl, [makeSpan()]);
  await eventually('a failure', async () => lines.length > 0);
  expect((await near.stats()).forward).toMatchObject([{ isHealthy: false, queued: 1, delivered: 0, dropped: {} }]);
  return () => lines.map((line) => JSON.parse(line).reason);
}

describe.each(['http', 'grpc'] as const)('a destination over %s that does not trust, or is not trusted', (protocol) => {
  it('and hangs up is told of once, however often it is tried, with the certificate that may be why', async () => {
    let refused = 0;
    const url = await wantsCertificate({}, () => {
      refused += 1;
    });
    const reasons = await forwardTo(url, protocol, { ...TRUSTED, ...shown('stranger') });
    await eventually('more tries', async () => refused > 6);
    expect(reasons()).toEqual([expect.stringContaining('tls.certificateFile is not trusted there')]);
  });

  it.each(['TLSv1.2', 'TLSv1.3'] as const)('and wants a certificate is told of so over %s', async (maxVersion) => {
    const reasons = await forwardTo(await wantsCertificate({ maxVersion }), protocol, TRUSTED);
    expect(reasons()[0]).toMatch(/TLS: [^:]*alert [^:]*; it wants another certificate than tls\.certificateFile/);
  });

  it('and whose authority is not known here is told of with where to name it', async () => {
    const reasons = await forwardTo(await wantsCertificate({ requestCert: false }), protocol);
    expect(reasons()[0]).toMatch(/self-signed certificate in certificate chain; name who signed .* tls\.caFile$/);
  });

  it('and has TLS where none is spoken to it is told of with the scheme', async () => {
    const url = await wantsCertificate({ requestCert: false });
    const reasons = await forwardTo(url.replace('https:', 'http:'), protocol);
    expect(reasons()[0]).toContain('a port with TLS needs https:');
  });
});
