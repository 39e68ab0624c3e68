import type { SecureContextOptions } from 'node:tls';
import { ServerCredentials } from '@grpc/grpc-js';
import type { LiveTls } from '../../access/live-tls.ts';
import type { TlsMaterial } from '../../access/load-access.ts';

/** Credentials of a gRPC server whose new connections use the certificates that are current. */
export class LiveCredentials extends ServerCredentials {
  constructor(tls: LiveTls) {
    super({ requestCert: tls.current.clientCa !== undefined }, contextOf(tls.current));
    tls.onReloaded((material) => this.updateSecureContextOptions(contextOf(material)));
  }

  /** The server compares credentials where an address is bound twice. */
  override _equals(other: ServerCredentials): boolean {
    return this === other;
  }
}

function contextOf({ certificate, key, clientCa }: TlsMaterial): SecureContextOptions {
  return { cert: certificate, key, ...(clientCa === undefined ? {} : { ca: clientCa }), minVersion: 'TLSv1.2' };
}
