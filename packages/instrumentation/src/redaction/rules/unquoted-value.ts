import { looksSecret, secrecyOfName } from '../text/secret-names.ts';

/** Names that stand before pins of a board, not before secrets, wherever nothing is in quotes. */
const boardPin = /pin$/i;
/** Names whose secrets may be nothing but digits; before other ones a number counts something. */
const ofDigits = /(?:pass(?:word|wd|code|phrase)|pwd|otp|cv[vc])$/i;
/** What no word has, in whatever language: a digit, or a sign that is not part of one. */
const noWord = /\d|[^\p{L}\p{M}\w.:/$’–—-]/u;
/** What a value is that no secret is: a reference, a tag or an anchor of YAML, a template, an expression, a type, a file, an amount. */
const noSecret: readonly RegExp[] = [
  /^(?:[{}()[\]<>`#,;:]|&(?:#|[a-z]+;)|\/[\^(]|\$(?:[A-Z_{(]|$)|[!&@%-]+[A-Za-z_-]+$|\*[\w-]+$|\.{1,2}\/|~\/|\/[a-z]+\/|arn:)/,
  /^[A-Za-z_$][\w$]*[([{]/,
  /^[A-Za-z_$]+(?:\d{1,2}[A-Za-z_$]+)?\d{0,2}(?:[?!]?\.#?[A-Za-z_$]+(?:\d{1,2}[A-Za-z_$]+)?\d{0,2})+(?:[([{]|$)/,
  /^(?:u?int|float|[fiux]|bytes?|big|varchar|char|utf-?|base|sha-?|md|[ehrp]s|oauth|http)\d*(?:(?:clamped)?array)?$/i,
  /^(?:\w+\.)?[A-Za-z]\w*[a-z\d](?:Client|Key|Provider|Credentials?|Options)$/,
  /^\d+(?:\.\d+)?(?:[A-Za-z%]{1,2}|-[A-Za-z]+)$|^\d{1,3}[–-]\d{1,3}$|^\d{4}-\d\d-\d\d/,
  /\.(?:pem|key|crt|cer|p12|pfx|json|ya?ml|toml|txt|env|[cm]?[jt]sx?|py|rb|go|java|rs|md)$/i,
  /:\/\/|\/secrets\//,
];

/**
 * Whether a value is a secret, given the name that stands before it where neither is in quotes. Prose, types and code have such names before
 * words far more often than before secrets: what is nothing but letters is left, and so is what reads as an expression.
 */
export function isUnquotedSecret(name: string, value: string): boolean {
  const secrecy = boardPin.test(name) ? undefined : secrecyOfName(name);
  if (secrecy === undefined || value.length < 4 || !noWord.test(value)) return false;
  if (noSecret.some((form) => form.test(value))) return false;
  if (secrecy !== 'secret') return looksSecret(secrecy, value);
  return /\p{L}/u.test(value) || ofDigits.test(name);
}
