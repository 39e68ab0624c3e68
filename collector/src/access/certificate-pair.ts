import { createPrivateKey, X509Certificate } from 'node:crypto';
import { createSecureContext } from 'node:tls';
import { ReenactError } from '@reenact/trace-model';

/**
 * Throws where a key cannot be used with a certificate, both in PEM. OpenSSL holds one key of each kind, and so takes one of another
 * kind than the certificate's without a word; no connection would ever come about.
 */
export function tryPair(certificate: Buffer, key: Buffer): void {
  createSecureContext({ cert: certificate, key });
  if (new X509Certificate(certificate).checkPrivateKey(createPrivateKey(key))) return;
  throw new ReenactError('bad-config', 'it belongs to another certificate');
}

/** What is wrong with the time of the first certificate of a PEM file; undefined where nothing is. */
export function certificateTrouble(pem: Buffer, nowMs: number): string | undefined {
  const { validFrom, validTo } = new X509Certificate(pem);
  const [fromMs, toMs] = [Date.parse(validFrom), Date.parse(validTo)];
  if (nowMs > toMs) return `has ended on ${new Date(toMs).toISOString()}`;
  return nowMs < fromMs ? `is not valid before ${new Date(fromMs).toISOString()}` : undefined;
}

/** The same of several that are trusted: one of them is enough, and those of a list that have ended are often left in it. */
export function authoritiesTrouble(pem: Buffer, nowMs: number): string | undefined {
  const blocks = pem.toString('latin1').match(/-----BEGIN CERTIFICATE-----[^-]*-----END CERTIFICATE-----/g) ?? [];
  const troubles = blocks.map((block) => certificateTrouble(Buffer.from(block, 'latin1'), nowMs));
  return troubles.includes(undefined) ? undefined : troubles[0];
}
