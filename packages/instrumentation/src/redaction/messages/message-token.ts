import { isPlaceholder, MAC_DIGITS } from '../text/placeholder.ts';

const shortToken = /^#[0-9a-f]+$/;
const credentialEnd = /(?<=^(?:[A-Za-z][A-Za-z0-9-]{0,30} )?)#[0-9a-f]+$/;
/** How many digits tell secrets apart where texts are compared: two are taken for one in one of 4,000,000,000 cases. */
export const COMPARED_DIGITS = 8;

/** Short ones with so many, and with four that say that they are tokens. */
const everyTellingToken = new RegExp(`#([0-9a-f]{${COMPARED_DIGITS}})[0-9a-f]*[0-9a-f]{4}(?![0-9a-f])`, 'g');

/** How many of so many digits say that the others are ours. */
function checkDigits(count: number): number {
  return count < 2 ? 0 : Math.min(4, Math.floor(count / 2));
}

/** What tells tokens of one key from those of others. */
interface TokenKey {
  mac(text: string): string;
}

/** A token of this length: the whole one where it has room, else the beginning of what tells secrets apart, and of its own hash. */
export function tokenOf(key: TokenKey, length: number, token: string): string {
  if (token.length <= length) return token.padEnd(length, '*');
  const [mac = ''] = /[0-9a-f]{16}(?=\])/.exec(token) ?? [];
  const checked = checkDigits(length - 1);
  const digits = mac.repeat(Math.ceil(length / MAC_DIGITS)).slice(0, Math.max(0, length - 1 - checked));
  return `#${digits}${key.mac(`#${digits}`).slice(0, checked)}`.slice(0, length);
}

/** Whether a value is a token of this key: what a replay served comes back to where a secret is expected. */
export function isOwnToken(key: TokenKey, value: string): boolean {
  if (isPlaceholder(value.replace(/\*+$/, ''))) return true;
  if (!shortToken.test(value)) return false;
  const checked = checkDigits(value.length - 1);
  const digits = value.slice(0, value.length - checked);
  return checked > 0 && key.mac(digits).slice(0, checked) === value.slice(digits.length);
}

/** Whether nothing but the name of an authentication scheme stands before a short token of this key. */
export function isOwnCredential(key: TokenKey, text: string): boolean {
  const [token = ''] = credentialEnd.exec(text) ?? [];
  return token !== '' && isOwnToken(key, token);
}

/** A text with the short tokens of this key that tell secrets apart as `[redacted:<compared digits>]`. */
export function withTellingTokens(key: TokenKey, text: string): string {
  return text.replaceAll(everyTellingToken, (found, digits: string) =>
    isOwnToken(key, found) ? `[redacted:${digits}]` : found,
  );
}

/** Whether a text may hold a short token that tells secrets apart. */
export function mayHoldTellingToken(text: string): boolean {
  return text.includes('#') && text.search(everyTellingToken) >= 0;
}
