import { isSecretValue, secrecyOfName } from '../text/secret-names.ts';
import type { SecretSpan } from './redaction-rule.ts';

/** A name under `name` and its value under `value`, beside it or on the next line, as Kubernetes has variables: up to where the value begins. */
const pair =
  /[Nn]ame(?<![\w.-][Nn]ame)\\{0,7}["']?[ \t]{0,40}[:=][ \t]{0,4}\\{0,7}["']?([A-Za-z_/][\w./-]{1,79})\\{0,7}["']?(?:,[ \t]{0,4}|,?[ \t]{0,40}\r?\n[ \t]{0,80})\\{0,7}["']?[Vv]alue(\\{0,7}["'])?[ \t]{0,40}[:=][ \t]{0,4}/g;
const quotedValue = /(\\{0,7}["'])([^"'\\\r\n]{1,4096})(?=\\{0,7}["'])/y;
const bareValue = /[^\s"'\\,;(){}[\]#&*!|>][^\s"'\\,;(){}[\]]*/y;
/** What such a pair has before the value: the cheap first look. */
const pairHint =
  /alue(?<=[CDEHLNSTVYcdehlnstvy2]\\{0,7}["']?(?:,[ \t]{0,4}|,?[ \t]{0,40}(?:\r?\n|\\{1,7}n)[ \t]{0,80})\\{0,7}["']?[Vv]alue)/;

/** Whether a text may hold such a pair in two lines; in one, what is behind the name tells that. */
export function mayHoldPair(text: string): boolean {
  return text.includes('\n') && pairHint.test(text);
}

/** Values of a text that another value names: `- name: DB_PASSWORD` and on the next line `value: …`. */
export function pairSpans(text: string): SecretSpan[] {
  const spans: SecretSpan[] = [];
  for (const { index, 0: whole, 1: name = '', 2: nameQuote = '' } of text.matchAll(pair)) {
    const secrecy = secrecyOfName(name);
    if (secrecy === undefined) continue;
    const at = index + whole.length;
    quotedValue.lastIndex = at;
    bareValue.lastIndex = at;
    const [, quote = '', quoted] = quotedValue.exec(text) ?? [];
    const value = quoted ?? bareValue.exec(text)?.[0] ?? '';
    const start = at + (quoted === undefined ? 0 : quote.length);
    if (!isSecretValue(secrecy, value)) continue;
    // A number of JSON: behind a name in quotes a token has some as well, or the text can be read no more.
    const needsQuote = quoted === undefined && nameQuote !== '';
    spans.push({ start, end: start + value.length, rule: 'named-value', ...(needsQuote ? { quote: nameQuote } : {}) });
  }
  return spans;
}
