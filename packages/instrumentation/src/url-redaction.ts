import { REDACTED_HEADER_VALUE } from './header-redaction.ts';

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
  'subscription-key',
  'token',
  'x-amz-credential',
  'x-amz-security-token',
  'x-amz-signature',
  'x-goog-credential',
  'x-goog-signature',
]);

function parameterName(name: string): string {
  try {
    return decodeURIComponent(name).toLowerCase();
  } catch {
    return name.toLowerCase();
  }
}

/**
 * The text of a URL as a recording holds it: user, password and the values of credential parameters replaced by
 * `[redacted]`, everything else as it is written. Doing it twice changes nothing more.
 */
export function redactedUrl(text: string): string {
  return text
    .replace(/^([a-z][a-z0-9+.-]*:\/\/)[^/?#@]*@/i, `$1${REDACTED_HEADER_VALUE}@`)
    .replaceAll(/([?&])([^=&#]*)=([^&#]*)/g, (whole, separator: string, name: string) =>
      credentialParameters.has(parameterName(name)) ? `${separator}${name}=${REDACTED_HEADER_VALUE}` : whole,
    );
}
