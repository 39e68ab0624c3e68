import type { RequestOptions } from '@reenact/instrumentation';

/**
 * Whether a call asks a model: `messages.create` and everything built on it, also where a platform's client will rewrite the
 * path. Token counts, batches, files and models are no such calls.
 */
export function isMessagesCall({ method, path }: Pick<RequestOptions, 'method' | 'path'>): boolean {
  if (typeof method !== 'string' || typeof path !== 'string' || method.toLowerCase() !== 'post') return false;
  const [pathname = path] = path.split(/[?#]/);
  return /(?:^|\/)messages\/?$/.test(pathname);
}
