import { comparedHeaders } from './volatile-headers.ts';

/**
 * Headers by which the clients of model providers say what they run in and which request of theirs it is; a star stands for any
 * text. They are left out beside VOLATILE_HEADERS. No input holds them, so no policy names this list.
 */
const CLIENT_HEADERS: readonly string[] = [
  'ai-gateway-auth-method',
  'ai-o11y-*',
  'anthropic-dangerous-direct-browser-access',
];

const ofClients = new RegExp(`^(?:${CLIENT_HEADERS.map((name) => name.replaceAll('*', '.*')).join('|')})$`);
const boundaryParameter = /;\s*boundary=(?:"[^"]*"|[^;]*)/i;

/**
 * The headers of one attempt of a model client that are compared with those that were recorded, by name in lower case: what the
 * caller and the client ask for with them. Of the content type, the mark between the parts of a form is another each time.
 */
export function attemptHeaders(pairs: Iterable<readonly [string, string]>): Record<string, string> {
  const given = [...pairs];
  const compared = Object.entries(comparedHeaders(given)).filter(([name]) => !ofClients.test(name));
  const contentType = given.find(([name]) => name.toLowerCase() === 'content-type')?.[1];
  if (contentType !== undefined) compared.push(['content-type', contentType.replace(boundaryParameter, '')]);
  return Object.fromEntries(compared);
}
