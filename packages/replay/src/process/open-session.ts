import { type ClientHttp2Session, type ClientSessionOptions, connect } from 'node:http2';
import { connect as connectSocket } from 'node:net';
import { connect as connectTls } from 'node:tls';

/** Where a session leads. */
export interface SessionPlace {
  readonly isEncrypted: boolean;
  /** Address or name, or the path of a Unix socket. */
  readonly address: string;
  /** Undefined on a Unix socket. */
  readonly port?: number | undefined;
  readonly verifiesCertificate: boolean;
}

const anyAddress: ReadonlySet<string> = new Set(['::', '0.0.0.0']);

/** The host to connect to where a server listens at an address. */
export function hostOfAddress(address: string): string {
  return anyAddress.has(address) ? 'localhost' : address;
}

/** Opens an HTTP/2 session: by ALPN where the place is encrypted, else by prior knowledge. What goes wrong its `error` says. */
export function openSession(place: SessionPlace, settings: ClientSessionOptions['settings'] = {}): ClientHttp2Session {
  const { isEncrypted, address, port, verifiesCertificate } = place;
  const scheme = isEncrypted ? 'https' : 'http';
  const trust = { rejectUnauthorized: verifiesCertificate };
  if (port !== undefined) {
    const host = hostOfAddress(address);
    return connect(`${scheme}://${host.includes(':') ? `[${host}]` : host}:${port}`, { ...trust, settings });
  }
  const createConnection = (): ReturnType<typeof connectSocket> =>
    isEncrypted
      ? connectTls({ path: address, ALPNProtocols: ['h2'], servername: 'localhost', ...trust })
      : connectSocket(address);
  return connect(`${scheme}://localhost`, { createConnection, settings });
}
