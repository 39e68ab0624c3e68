import { redactedUrl } from '@reenact/instrumentation';

/** A URL as a recording holds it: without its fragment, which is never sent, and without credentials. */
export function recordedUrl(url: URL): string {
  const { href, hash } = url;
  return redactedUrl(hash === '' ? href : href.slice(0, -hash.length));
}
