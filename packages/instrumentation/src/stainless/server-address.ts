import type { RequestOptions, StainlessClient } from './stainless-client.ts';

const defaultPorts: Readonly<Record<string, number>> = { 'https:': 443, 'http:': 80 };

/** Where a call goes. */
export interface ServerAddress {
  readonly url: URL;
  readonly address: string;
  readonly port: number | undefined;
}

/** The server of a call; undefined where the client could not say it either. Never throws. */
export function serverOf(client: StainlessClient, options: RequestOptions): ServerAddress | undefined {
  try {
    const { path, query, defaultBaseURL } = options;
    const built = client.buildURL?.(path, query, defaultBaseURL) ?? `${client.baseURL ?? ''}${path}`;
    const url = new URL(built);
    return { url, address: url.hostname, port: url.port === '' ? defaultPorts[url.protocol] : Number(url.port) };
  } catch {
    return undefined;
  }
}
