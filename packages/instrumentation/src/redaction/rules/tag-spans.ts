import { isSecretValue, type Secrecy, secrecyOfName } from '../text/secret-names.ts';
import type { SecretSpan } from './redaction-rule.ts';

/** A tag that names a value by one attribute and gives it by another. */
const tag = /<(?:input|meta|param|property|add|entry)(?=[\s/])[^<>]{1,4096}>/gi;
const attribute = /(?<=\s)([A-Za-z][\w:-]{0,40})\s{0,4}=\s{0,4}(?:"([^"]*)"|'([^']*)'|([^\s"'=<>`]+))/g;
const namingAttributes: ReadonlySet<string> = new Set(['name', 'id', 'key', 'http-equiv', 'autocomplete']);
const valueAttributes: ReadonlySet<string> = new Set(['value', 'content']);

interface Attribute {
  readonly name: string;
  readonly value: string;
  /** Where its value ends. */
  readonly end: number;
}

function attributesOf(text: string, start: number): Attribute[] {
  return Array.from(text.matchAll(attribute), ({ index, 0: whole, 1: name = '', 2: double, 3: single, 4: bare }) => ({
    name: name.toLowerCase(),
    value: double ?? single ?? bare ?? '',
    end: start + index + whole.length - (bare === undefined ? 1 : 0),
  }));
}

function secrecyOf(attributes: readonly Attribute[]): Secrecy | undefined {
  const isHidden = attributes.some(({ name, value }) => name === 'type' && value.toLowerCase() === 'password');
  const named = attributes.filter(({ name }) => namingAttributes.has(name)).map(({ value }) => secrecyOfName(value));
  return isHidden || named.includes('secret') ? 'secret' : named.find((secrecy) => secrecy !== undefined);
}

/** Values of tags of HTML and XML that another attribute says are secrets: `<input name="password" value="…">`, `<add key="ApiKey" value="…"/>`. */
export function tagSpans(text: string): SecretSpan[] {
  const spans: SecretSpan[] = [];
  for (const { index, 0: whole } of text.matchAll(tag)) {
    const attributes = attributesOf(whole, index);
    const secrecy = secrecyOf(attributes);
    for (const { name, value, end } of attributes) {
      if (!valueAttributes.has(name) || !isSecretValue(secrecy, value)) continue;
      spans.push({ start: end - value.length, end, rule: 'named-value' });
    }
  }
  return spans;
}
