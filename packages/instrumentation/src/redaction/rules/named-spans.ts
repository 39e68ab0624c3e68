import { SECRET_VALUE_CHARACTERS_MAX } from '../../limits.ts';
import {
  isHarmlessValue,
  isReference,
  isSecretValue,
  type Secrecy,
  secrecyOfName,
  secrecyOfParameter,
} from '../text/secret-names.ts';
import { looksDrawn } from './drawn-text.ts';
import { formSpans } from './form-spans.ts';
import { kubernetesSpans } from './kubernetes-spans.ts';
import { pairSpans } from './pair-spans.ts';
import type { SecretSpan } from './redaction-rule.ts';
import { tagSpans } from './tag-spans.ts';
import { unquotedSpans } from './unquoted-spans.ts';

/** A name in quotes and the quote its value begins with; in JSON inside JSON the quotes are escaped. */
const quotedName =
  /\\{0,7}["']([A-Za-z0-9_.][A-Za-z0-9_. -]{1,79})\\{0,7}["']\]?[^\S\n]{0,40}[:=]>?[^\S\n]{0,4}(?=\\{0,7}["'])/g;
/** A name as code, YAML and what Ruby prints have it, also with a type before its value: `password: str = "…"`, `key: &'static str = "…"`. */
const bareName =
  /(?<![A-Za-z0-9_.-])([A-Za-z_][A-Za-z0-9_.-]{1,79})[^\S\n]?(?::|=>)[^\S\n]{0,4}(?:(?:&(?:'static )?)?[A-Za-z_][\w.]{0,40}(?:[[<][\w., |<]{1,40}[\]>]{1,3})?(?:[^\S\n]?\|[^\S\n]?[A-Za-z_]\w{0,20})?\??[^\S\n]?=[^\S\n]?)?(?=\\{0,7}["']\S)/g;
/** What Terraform changes a value into: `password = "…" -> "…"`. */
const changedValue =
  /(?<![A-Za-z0-9_.-])([A-Za-z_][\w.-]{1,79})"?[^\S\n]{1,40}=[^\S\n]{1,4}(?:"[^"\\\n]{0,4096}"|\([a-z ]{1,40}\)|null)[^\S\n]{1,4}->[^\S\n]{1,4}"([^"\\\n]{1,4096})(?=")/g;
/** A name that code gives a call which sets a value: `define('DB_PASSWORD', '…')`. */
const setName =
  /(?<![A-Za-z0-9_])(?:define|putenv|setenv|set(?:[A-Z]\w{0,20})?|append|header)\(\s{0,4}["']([A-Za-z_][\w.-]{1,79})["']\s{0,4},\s{0,8}(?=["'])/g;
/** Where SQL gives a user a password. */
const sqlPassword =
  /\b(?:IDENTIFIED (?:WITH \w{1,40} )?BY(?: PASSWORD)?|identified by|PASSWORD|with password) '([^'\s\\]{3,256})(?=')/g;
const openingQuote = /(\\{0,7})(["'])/y;
/** What stands between two texts in quotes, or behind the last, in JSON and in a tag, where the first ends with a name: `"label": "Password:", "n": 1`. */
const betweenQuoted =
  /^\s*(?:\\{1,7}[nrt]|[,:}\]])(?:[\s,:{}[\]\d.eE+-]|true|false|null|\\{1,7}[nrt])*$|^(?:,|(?:\s|\\{1,7}[nrt]){0,40}[}\]]+)(?:\s|\\{1,7}[nrt]|$)|^\s*\/?>\s*</;

/** A name and `=`, as in connection strings, shell lines and addresses; options have hyphens before it. */
const assignedName =
  /(?:([?&](?:amp;)?)|(?<![A-Za-z0-9_.-])-{0,2})([A-Za-z_][A-Za-z0-9_.%-]{1,79})[^\S\n]{0,40}=(?!=)[^\S\n]?(["']?)/g;
const assignedValue = /[^\s&;,"'<>\\()[\]{}|]+/y;
const vagueValue = /[^\s&;,"'<>\\()[\]{}|]{1,512}/y;
/** A name, a colon and a value on a line of its own, as headers are printed; only the plainest names count. */
const printedHeader =
  /(?<![A-Za-z0-9_-])(?:proxy-authorization|authorization|set-cookie|cookie|x-api-key|api-key|x-goog-api-key|x-auth-token):[^\S\n]{0,4}(?=[^\s"'\\])(?!`[^`\r\n]{0,400}\$\{)/gi;
const headerValue = /[^\r\n"'\\]+/y;
/** Where a text in quotes ends inside of JSON, with all backslashes before: the text of an element, or what an apostrophe begins, is not in two of them. */
const endOfString = /\\{0,63}"(?:\s|\\{1,7}[nrt]){0,40}[,:}\]]/;
/** One of several texts that a type allows: `kind: "password" | "none"`. */
const otherLiteral = /\s{0,40}\|\s{0,40}\\{0,7}["']/y;
/** An element of XML by its name without a prefix, up to where its text begins. */
const element = /<(?:[A-Za-z][\w.-]{0,40}:)?([A-Za-z_][\w.-]{1,79})(?:\s[^<>]{0,400})?>\s{0,40}(?:<!\[CDATA\[)?/g;
const elementText = /[^<]{1,4096}/y;

function matchAt(pattern: RegExp, text: string, from: number): RegExpExecArray | null {
  pattern.lastIndex = from;
  return pattern.exec(text);
}

/**
 * Where a quoted value ends, given the backslashes before its opening quote: 0 in plain text, 1 in JSON inside JSON. What
 * escapes a quote or a backslash inside the value has more of them; a quote with fewer ends a text that the value is in.
 */
function endOfQuoted(text: string, from: number, quote: string, escapes: number): number {
  const limit = Math.min(text.length, from + SECRET_VALUE_CHARACTERS_MAX);
  let backslashes = 0;
  for (let index = from; index < limit; index += 1) {
    const character = text[index];
    if (character === '\\') {
      backslashes += 1;
      continue;
    }
    if (character === quote) {
      for (let fewer = 0; fewer <= escapes; fewer = 2 * fewer + 1) {
        if (backslashes % (2 * (fewer + 1)) === fewer) return index - fewer;
      }
    }
    backslashes = 0;
  }
  return limit;
}

/** Where a value in quotes ends, at the latest with the string of JSON that it stands in: its apostrophe may be closed in another one. */
function endOfValue(text: string, from: number, quote: string, escapes: number): number {
  const end = endOfQuoted(text, from, quote, escapes);
  const inString = quote === "'" ? text.slice(from, end).search(endOfString) : -1;
  return inString < 0 ? end : from + inString;
}

/** A value in quotes as it reads: the same secret is met elsewhere without what JSON escapes, and its token is the same. */
function readValue(written: string, escapes: number): string {
  let value = written;
  for (let times = 0; value.includes('\\') && times <= Math.log2(escapes + 1); times += 1) {
    try {
      value = String(JSON.parse(`"${value}"`));
    } catch {
      return written;
    }
  }
  return value;
}

function quotedSpans(text: string, name: RegExp): SecretSpan[] {
  const spans: SecretSpan[] = [];
  let covered = 0;
  for (const found of text.matchAll(name)) {
    if (found.index < covered) continue;
    const secrecy = secrecyOfName(found[1] ?? '');
    if (secrecy === undefined) continue;
    const opening = matchAt(openingQuote, text, found.index + found[0].length);
    if (opening === null) continue;
    const start = opening.index + opening[0].length;
    const [, escapes = '', quote = '"'] = opening;
    const end = endOfValue(text, start, quote, escapes.length);
    const value = text.slice(start, end);
    if (!isSecretValue(secrecy, value) || (name === bareName && betweenQuoted.test(value))) continue;
    if (matchAt(otherLiteral, text, end + opening[0].length) !== null) continue;
    spans.push({ start, end, rule: 'named-value', secret: quote === '"' ? readValue(value, escapes.length) : value });
    covered = end;
  }
  return spans;
}

/** What code assigns: a call, what is called as the name is, or a member where a space is before it. */
const call = /[A-Za-z_$][\w$.]*$/;
const member = /^[!~]?[A-Za-z_$][\w$]*(?:[?!]?\.#?[A-Za-z_$][\w$]*)+$/;

function isExpression(text: string, name: string, start: number, end: number): boolean {
  const value = text.slice(start, end);
  if (value === 'void' || value === name.slice(name.lastIndexOf('.') + 1)) return true;
  // A variable of an environment is given no call, but a value that may have such signs.
  const isVariable = text[start - 1] === '=' && /^[A-Z][A-Z0-9_]*$/.test(name);
  if (isVariable) return false;
  const isApart = /\s/.test(text[start - 1] ?? '');
  const hasDigit = /\d/.test(value);
  // A password of a connection string may have a parenthesis as well, and most often a digit before it.
  const isCall = /[([]/.test(text[end] ?? '') && call.test(value) && (isApart || !hasDigit);
  return isCall || (isApart && member.test(value) && !hasDigit);
}

/** A form that begins with a key, one of its parameters; elsewhere what is called so is seldom a secret. */
const keyOfForm = /(?<=^|["'])key=([\w-]{20,512})(?:&[^\s"'\\]*)?(?=\\{0,7}["']|$)/y;

function secrecyOfAssigned(text: string, start: number, separator: string, name: string): Secrecy | undefined {
  if (separator !== '') return secrecyOfParameter(name);
  const [, key] = (name === 'key' && matchAt(keyOfForm, text, start)) || [];
  return key !== undefined && looksDrawn(key) ? 'secret' : secrecyOfName(name);
}

function assignedSpans(text: string): SecretSpan[] {
  const spans: SecretSpan[] = [];
  let covered = 0;
  for (const found of text.matchAll(assignedName)) {
    // What lies inside a secret is not looked at again, or a text of nothing but names would take quadratic time.
    if (found.index < covered) continue;
    const [whole, separator = '', name = '', quote = ''] = found;
    const secrecy = secrecyOfAssigned(text, found.index, separator, name);
    if (secrecy === undefined) continue;
    const start = found.index + whole.length;
    const end =
      quote === ''
        ? start + (matchAt(secrecy === 'vague' ? vagueValue : assignedValue, text, start)?.[0].length ?? 0)
        : endOfValue(text, start, quote, 0);
    const value = text.slice(start, end);
    if (!isSecretValue(secrecy, value) || (quote !== '' && betweenQuoted.test(value))) continue;
    if (quote === '' && (isReference(text, start) || isExpression(text, name, start, end))) continue;
    spans.push({ start, end, rule: 'named-value' });
    covered = end;
  }
  return spans;
}

function changedSpans(text: string): SecretSpan[] {
  const spans: SecretSpan[] = [];
  for (const { index, 0: whole, 1: name = '', 2: value = '' } of text.matchAll(changedValue)) {
    const end = index + whole.length;
    if (isSecretValue(secrecyOfName(name), value)) spans.push({ start: end - value.length, end, rule: 'named-value' });
  }
  return spans;
}

function sqlSpans(text: string): SecretSpan[] {
  return Array.from(text.matchAll(sqlPassword), ({ index, 0: whole, 1: value = '' }) => {
    const end = index + whole.length;
    return { start: end - value.length, end, rule: 'named-value' };
  });
}

function headerSpans(text: string): SecretSpan[] {
  const spans: SecretSpan[] = [];
  let covered = 0;
  for (const found of text.matchAll(printedHeader)) {
    if (found.index < covered) continue;
    const start = found.index + found[0].length;
    const value = matchAt(headerValue, text, start)?.[0].trimEnd() ?? '';
    if (isHarmlessValue(value)) continue;
    covered = start + value.length;
    spans.push({ start, end: covered, rule: 'named-value' });
  }
  return spans;
}

function elementSpans(text: string): SecretSpan[] {
  const spans: SecretSpan[] = [];
  for (const found of text.matchAll(element)) {
    const secrecy = secrecyOfName(found[1] ?? '');
    if (secrecy === undefined) continue;
    const start = found.index + found[0].length;
    const content = matchAt(elementText, text, start)?.[0] ?? '';
    const value = content.replace(/\]\]>?$/, '').trimEnd();
    const isClosed = text.startsWith('</', start + content.length);
    if (isClosed && !endOfString.test(value) && isSecretValue(secrecy, value))
      spans.push({ start, end: start + value.length, rule: 'named-value' });
  }
  return spans;
}

/** Values of a text that stand beside a name of a secret: `"password": "…"`, `password: …`, `api_key=…`, `Authorization: …`, `<Password>…</Password>`, a part of a form. */
export function namedSpans(text: string): SecretSpan[] {
  const [hasColon, hasAssigned] = [text.includes(':'), text.includes('=')];
  const hasQuotes = text.includes('"') || text.includes("'");
  return [
    ...(hasQuotes ? [quotedName, bareName, setName].flatMap((name) => quotedSpans(text, name)) : []),
    ...(text.includes(" '") ? sqlSpans(text) : []),
    ...(hasAssigned ? assignedSpans(text) : []),
    ...(text.includes('-> "') ? changedSpans(text) : []),
    ...(hasColon ? [...headerSpans(text), ...unquotedSpans(text), ...kubernetesSpans(text)] : []),
    ...(hasColon || hasAssigned ? pairSpans(text) : []),
    ...(text.includes('</') ? elementSpans(text) : []),
    ...(hasAssigned && text.includes('<') ? tagSpans(text) : []),
    ...(/form-data/i.test(text) ? formSpans(text) : []),
  ];
}
