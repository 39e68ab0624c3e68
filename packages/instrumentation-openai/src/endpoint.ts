import type { RequestOptions } from '@reenact/instrumentation';

/** Which API a call speaks; `other` is everything that is neither inference nor embeddings. */
export type Endpoint = 'chat' | 'responses' | 'embeddings' | 'other';

const endpoints: readonly (readonly [suffix: RegExp, endpoint: Endpoint])[] = [
  [/(?:^|\/)chat\/completions\/?$/, 'chat'],
  [/(?:^|\/)responses\/?$/, 'responses'],
  [/(?:^|\/)embeddings\/?$/, 'embeddings'],
];

/**
 * The API of a call, from method and path as the resource gave them: before Azure puts its deployment in front, and on a
 * base URL of any provider.
 */
export function endpointOf({ method, path }: Pick<RequestOptions, 'method' | 'path'>): Endpoint {
  if (typeof method !== 'string' || typeof path !== 'string' || method.toLowerCase() !== 'post') return 'other';
  const [pathname = path] = path.split(/[?#]/);
  return endpoints.find(([suffix]) => suffix.test(pathname))?.[1] ?? 'other';
}
