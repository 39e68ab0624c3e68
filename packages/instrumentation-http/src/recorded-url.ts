import { REDACTED_HEADER_VALUE } from '@reenact/instrumentation';

/** Query parameters whose value is a credential by their name alone, in lower case. */
const credentialParameters: ReadonlySet<string> = new Set([
  'access_token',
  'api_key',
  'api-key',
  'apikey',
  'auth_token',
  'awsaccesskeyid',
  'client_secret',
  'id_token',
  'key',
  'password',
  'refresh_token',
  'sig',
  'signature',
  'token',
  'x-amz-credential',
  'x-amz-security-token',
  'x-amz-signature',
  'x-goog-credential',
  'x-goog-signature',
]);

function decoded(name: string): string {
  try {
    return decodeURIComponent(name);
  } catch {
    return name;
  }
}

/** A query string with the values of credentials replaced; the other parameters stay as they are written. */
export function recordedQuery(query: string): string {
  return query.replaceAll(/([?&])([^=&]*)=([^&]*)/g, (whole, separator: string, name: string) =>
    credentialParameters.has(decoded(name).toLowerCase()) ? `${separator}${name}=${REDACTED_HEADER_VALUE}` : whole,
  );
}

/** A URL as a recording holds it: without its fragment, which is never sent, and without credentials. */
export function recordedUrl(url: URL): string {
  const user = url.username === '' && url.password === '' ? '' : `${REDACTED_HEADER_VALUE}@`;
  return `${url.protocol}//${user}${url.host}${url.pathname}${recordedQuery(url.search)}`;
}
