import { type CollectorConfig, shownUrl } from '@reenact/collector';

const HIDDEN = '(hidden)';

interface Target {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
}

function hideIn<Some extends Target>(target: Some): Some {
  const headers = Object.fromEntries(Object.keys(target.headers).map((name) => [name, HIDDEN]));
  return { ...target, url: shownUrl(target.url), headers };
}

/** A configuration that can be shown: the values of headers, passwords and parameters of addresses, and digests of tokens are hidden. */
export function hideSecrets(config: CollectorConfig): CollectorConfig {
  const { metricsExport } = config;
  return {
    ...config,
    tokens: config.tokens.map((token) => ({ ...token, sha256: HIDDEN })),
    forward: config.forward.map(hideIn),
    ...(metricsExport === undefined ? {} : { metricsExport: hideIn(metricsExport) }),
  };
}
