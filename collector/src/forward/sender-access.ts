import { X509Certificate } from 'node:crypto';
import { createSecureContext } from 'node:tls';
import { ReenactError } from '@reenact/trace-model';
import { tryPair } from '../access/certificate-pair.ts';
import { readConfigured, tryTls } from '../access/load-access.ts';
import { Reloadable } from '../access/reloadable.ts';
import type { Destination } from '../config.ts';
import type { Log } from '../logging/log.ts';

/** What a sender shows to and wants from the other side, as read from files. */
export interface SenderAccess {
  /** Certificates of those the other side must be signed by; undefined where the system decides. */
  readonly ca: Buffer | undefined;
  readonly certificate: Buffer | undefined;
  readonly key: Buffer | undefined;
  /** Sent as a bearer token. */
  readonly token: string | undefined;
}

/** Reads and tries the files of a destination. Throws ReenactError `bad-config` where one cannot be used. */
export function loadSenderAccess({ name, tls = {}, tokenFile }: Destination): SenderAccess {
  const { caFile, certificateFile, keyFile } = tls;
  const read = (key: string, file: string | undefined) =>
    file === undefined ? undefined : readConfigured(`forward.${name}.${key}`, file);
  const ca = read('tls.caFile', caFile);
  const certificate = read('tls.certificateFile', certificateFile);
  const key = read('tls.keyFile', keyFile);
  if (ca !== undefined) tryTls(`forward.${name}.tls.caFile`, caFile ?? '', () => new X509Certificate(ca));
  if (certificate !== undefined && key !== undefined) {
    tryTls(`forward.${name}.tls.certificateFile`, certificateFile ?? '', () =>
      createSecureContext({ cert: certificate }),
    );
    tryTls(`forward.${name}.tls.keyFile`, keyFile ?? '', () => tryPair(certificate, key));
  }
  const token = read('tokenFile', tokenFile)?.toString('latin1').trim();
  if (token !== undefined && !/^[\x21-\x7e]+$/.test(token)) throw noToken(name, tokenFile ?? '');
  return { ca, certificate, key, token };
}

/** The text itself is not shown: it may be a token that was pasted with something around it. */
function noToken(name: string, file: string): ReenactError {
  return new ReenactError('bad-config', `The file of forward.${name}.tokenFile does not hold one token: ${file}.`, {
    where: `forward.${name}.tokenFile`,
    next: 'Write the token alone into the file, without "Bearer".',
  });
}

/** What a destination's files hold, also when they change. Throws ReenactError `bad-config` where one cannot be used at the start. */
export function liveSenderAccess(destination: Destination, log: Log): Reloadable<SenderAccess> {
  const { name, tokenFile, tls = {} } = destination;
  return new Reloadable({
    name: `credentials of ${name}`,
    files: [tokenFile, tls.caFile, tls.certificateFile, tls.keyFile].filter((file) => file !== undefined),
    load: () => loadSenderAccess(destination),
    log,
  });
}
