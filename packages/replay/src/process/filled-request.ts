import { macsIn, placeholdersIn } from '@reenact/instrumentation';
import { COOKIE, type RecordedRequest, withheldParameters } from './recorded-request.ts';

/** Gives the secret of a token, by its digits; undefined where no answer that was sent before gave it. */
export type SecretOf = (mac: string) => string | undefined;

/** A text with the secrets in it that are known. */
function filledText(text: string, secretOf: SecretOf, written: (secret: string) => string): string {
  let filled = '';
  let from = 0;
  for (const { start, end } of placeholdersIn(text)) {
    const [mac = ''] = macsIn(text.slice(start, end));
    const secret = secretOf(mac);
    filled += text.slice(from, start) + (secret === undefined ? text.slice(start, end) : written(secret));
    from = end;
  }
  return filled + text.slice(from);
}

function asItIs(secret: string): string {
  return secret;
}

function inJson(secret: string): string {
  return JSON.stringify(secret).slice(1, -1);
}

function writingIn(contentType: string): (secret: string) => string {
  if (/json/i.test(contentType)) return inJson;
  return /^application\/x-www-form-urlencoded/i.test(contentType) ? encodeURIComponent : asItIs;
}

function filledBody({ body, isBodyRedacted, headers }: RecordedRequest, secretOf: SecretOf): Buffer {
  if (!isBodyRedacted) return body;
  const text = body.toString('utf8');
  // Bytes that are no text, packed ones for example, are not looked into.
  if (!Buffer.from(text, 'utf8').equals(body)) return body;
  const contentType = headers.find(([name]) => /^content-type$/i.test(name))?.[1] ?? '';
  return Buffer.from(filledText(text, secretOf, writingIn(contentType)), 'utf8');
}

function hasTokens(text: string): boolean {
  return macsIn(text).length > 0;
}

interface Cookies {
  readonly headers: readonly (readonly [string, string])[];
  readonly withheld: readonly string[];
}

/** Those that are known, in their order; the others are not sent. */
function filledCookies(cookies: readonly string[], secretOf: SecretOf): Cookies {
  const filled = cookies.map((cookie) => filledText(cookie, secretOf, asItIs));
  const known = filled.filter((cookie) => !hasTokens(cookie));
  const unknown = filled
    .filter(hasTokens)
    .map((cookie) => `${COOKIE}${cookie.slice(0, Math.max(0, cookie.indexOf('=')))}`);
  return { headers: known.length === 0 ? [] : [['cookie', known.join('; ')]], withheld: [...new Set(unknown)] };
}

/** A recorded request with what is known of its secrets in their places again; what is not stays withheld. */
export function filledRequest(request: RecordedRequest, secretOf: SecretOf): RecordedRequest {
  const { withheldHeaders, cookies } = request;
  const ofCookies = cookies.length === 0 ? undefined : filledCookies(cookies, secretOf);
  const others = withheldHeaders.filter(([name]) => ofCookies === undefined || !/^cookie$/i.test(name));
  const filled = others.map(([name, value]) => [name, filledText(value, secretOf, asItIs)] as const);
  const known = filled.filter(([, value]) => !hasTokens(value));
  const unknown = filled.filter(([, value]) => hasTokens(value)).map(([name]) => name.toLowerCase());
  const target = filledText(request.target, secretOf, encodeURIComponent);
  const body = filledBody(request, secretOf);
  return {
    ...request,
    target,
    body,
    headers: [...request.headers, ...known, ...(ofCookies?.headers ?? [])],
    withheldHeaders: filled.filter(([, value]) => hasTokens(value)),
    withheld: [...new Set([...unknown, ...(ofCookies?.withheld ?? []), ...withheldParameters(target)])],
    isBodyRedacted: request.isBodyRedacted && (body === request.body || hasTokens(body.toString('utf8'))),
  };
}

/** What tells the secrets apart that a request needs. */
export function macsWantedBy({ withheldHeaders, cookies, target, body, isBodyRedacted }: RecordedRequest): string[] {
  const texts = [...withheldHeaders.map(([, value]) => value), ...cookies, target];
  if (isBodyRedacted) texts.push(body.toString('utf8'));
  return texts.flatMap(macsIn);
}
