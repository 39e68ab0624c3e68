import { type CollectorConfig, shownUrl } from '@reenact/collector';

const HIDDEN = '(hidden)';

/** A configuration that can be shown: the values of headers, passwords and parameters of addresses, and digests of tokens are hidden. */
export function hideSecrets(config: CollectorConfig): CollectorConfig {
  return {
    ...config,
    tokens: config.tokens.map((token) => ({ ...token, sha256: HIDDEN })),
    forward: config.forward.map((destination) => ({
      ...destination,
      url: shownUrl(destination.url),
      headers: Object.fromEntries(Object.keys(destination.headers).map((name) => [name, HIDDEN])),
    })),
  };
}
