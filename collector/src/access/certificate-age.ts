import { X509Certificate } from 'node:crypto';
import type { Log } from '../logging/log.ts';
import type { LiveTls } from './live-tls.ts';

/** Which part of its time a certificate has left when whoever replaces it should have done so: they do at a half or two thirds. */
const LATE_SHARE = 0.1;

type Age = 'early' | 'fine' | 'late' | 'over';

/**
 * Says in the log, once each, that the certificate in use soon ends, or has: one that nobody replaces is served all the same, and only
 * senders would hear of it.
 */
export class CertificateAge {
  private readonly tls: LiveTls;
  private readonly log: Log;
  private readonly now: () => number;
  private certificate: { readonly pem: Buffer; readonly fromMs: number; readonly toMs: number };
  private told: Age = 'fine';

  constructor(tls: LiveTls, log: Log, now: () => number = Date.now) {
    this.tls = tls;
    this.log = log;
    this.now = now;
    this.certificate = readTimes(tls.current.certificate);
    this.check();
  }

  /** Looks at the certificate in use. */
  check(): void {
    const { certificate: pem } = this.tls.current;
    if (pem !== this.certificate.pem) {
      this.certificate = readTimes(pem);
      this.told = 'fine';
    }
    const age = this.age();
    if (age !== this.told) this.tell(age);
    this.told = age;
  }

  /** As `check` does: the files are somebody else's to read. */
  reload(): void {
    this.check();
  }

  private age(): Age {
    const { fromMs, toMs } = this.certificate;
    const nowMs = this.now();
    if (nowMs < fromMs) return 'early';
    if (nowMs > toMs) return 'over';
    return toMs - nowMs < (toMs - fromMs) * LATE_SHARE ? 'late' : 'fine';
  }

  private tell(age: Age): void {
    const { fromMs, toMs } = this.certificate;
    const facts = { validFrom: new Date(fromMs).toISOString(), validTo: new Date(toMs).toISOString() };
    const next = 'Replace the files of tls; new connections get the new certificate without a restart.';
    if (age === 'late') this.log.warn('certificate ends soon', { ...facts, next });
    if (age === 'over') this.log.error('certificate has ended', { ...facts, next });
    if (age === 'early') {
      this.log.error('certificate not valid yet', { ...facts, next: 'Set the clock of this machine right, or wait.' });
    }
  }
}

function readTimes(pem: Buffer): { pem: Buffer; fromMs: number; toMs: number } {
  const { validFrom, validTo } = new X509Certificate(pem);
  return { pem, fromMs: Date.parse(validFrom), toMs: Date.parse(validTo) };
}
