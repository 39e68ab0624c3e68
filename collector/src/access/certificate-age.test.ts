import { X509Certificate } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { createLog } from '../logging/log.ts';
import { CertificateAge } from './certificate-age.ts';

const folder = new URL('../../../test/conformance/receiver/certificates/', import.meta.url);
const materialOf = (name: string) => {
  const certificate = readFileSync(new URL(`${name}.pem`, folder));
  return { certificate, key: Buffer.alloc(0), clientCa: undefined };
};
const { validFrom, validTo } = new X509Certificate(materialOf('server').certificate);
const [FROM_MS, TO_MS] = [Date.parse(validFrom), Date.parse(validTo)];
const at = (share: number) => FROM_MS + (TO_MS - FROM_MS) * share;

/** A certificate that is looked at as time goes by, and what the log says of it. */
function startAt(share: number) {
  const events: string[] = [];
  const log = createLog('info', (line) => {
    const { level, event } = JSON.parse(line) as { level: string; event: string };
    events.push(`${level}: ${event}`);
  });
  const clock = { nowMs: at(share) };
  const tls = { current: materialOf('server'), onReloaded: () => undefined };
  const age = new CertificateAge(tls, log, () => clock.nowMs);
  const look = (share: number) => {
    clock.nowMs = at(share);
    age.check();
  };
  return { events, look, tls };
}

describe('a certificate as time goes by', () => {
  it('is told of once when it should have been replaced, and once when it has ended', () => {
    const { events, look } = startAt(0.1);
    for (const share of [0.5, 0.89]) look(share);
    expect(events).toEqual([]);
    for (const share of [0.91, 0.95]) look(share);
    expect(events).toEqual(['warn: certificate ends soon']);
    for (const share of [1.01, 1.02]) look(share);
    expect(events).toEqual(['warn: certificate ends soon', 'error: certificate has ended']);
  });

  it('is told of at the start, and no more once it is replaced', () => {
    const { events, look, tls } = startAt(1.01);
    expect(events).toEqual(['error: certificate has ended']);
    tls.current = materialOf('stranger');
    look(0.5);
    expect(events).toHaveLength(1);
  });

  it('is told of where its time has not come, as where a clock is wrong', () => {
    expect(startAt(-0.1).events).toEqual(['error: certificate not valid yet']);
  });
});
