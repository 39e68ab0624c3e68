/** Where a URL leads to, as sockets and attributes name it. */
export interface UrlPlace {
  /** A name or an address, IPv6 without brackets. */
  readonly host: string;
  /** The one that is written, else that of the scheme; undefined of a scheme without one. */
  readonly port: number | undefined;
}

const portOfScheme: Readonly<Record<string, number>> = { 'http:': 80, 'https:': 443, 'ws:': 80, 'wss:': 443 };

/** Host and port of a URL. */
export function urlPlace({ hostname, port, protocol }: Pick<URL, 'hostname' | 'port' | 'protocol'>): UrlPlace {
  const host = hostname.replace(/^\[(.*)\]$/, '$1');
  return { host, port: port === '' ? portOfScheme[protocol] : Number(port) };
}
