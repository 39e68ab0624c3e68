import { urlPlace } from '@reenact/trace-model';
import type { RequestOptions, StainlessClient } from './stainless-client.ts';

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
    const { host, port } = urlPlace(url);
    return { url, address: host, port };
  } catch {
    return undefined;
  }
}
