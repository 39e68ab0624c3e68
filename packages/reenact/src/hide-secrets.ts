import type { CollectorConfig } from '@reenact/collector';

const HIDDEN = '(hidden)';

function hideInUrl(text: string): string {
  const url = new URL(text);
  if (url.password !== '') url.password = 'hidden';
  for (const name of new Set(url.searchParams.keys())) url.searchParams.set(name, 'hidden');
  return url.password === '' && url.search === '' ? text : url.href;
}

/** A configuration that can be shown: the values of headers, passwords and parameters of addresses, and digests of tokens are hidden. */
export function hideSecrets(config: CollectorConfig): CollectorConfig {
  return {
    ...config,
    tokens: config.tokens.map((token) => ({ ...token, sha256: HIDDEN })),
    forward: config.forward.map((destination) => ({
      ...destination,
      url: hideInUrl(destination.url),
      headers: Object.fromEntries(Object.keys(destination.headers).map((name) => [name, HIDDEN])),
    })),
  };
}
