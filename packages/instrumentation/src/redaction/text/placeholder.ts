import { someBase64Text } from './base64-text.ts';

/** What stands in a recording in place of a secret: `[redacted:<rule>:<16 hex digits of a keyed HMAC>]`. */
const placeholderSource = '\\[redacted:[a-z0-9][a-z0-9-]*:[0-9a-f]{16}\\]';

/** How many hex digits of the keyed hash a token has. */
export const MAC_DIGITS = 16;

const anyPlaceholder = new RegExp(placeholderSource);
const everyPlaceholder = new RegExp(placeholderSource, 'g');
const onlyPlaceholder = new RegExp(`^${placeholderSource}$`);
const schemeAndPlaceholder = new RegExp(`^(?:[A-Za-z][A-Za-z0-9-]{0,30} )?${placeholderSource}$`);

/** How every placeholder begins. */
export const PLACEHOLDER_START = '[redacted:';

/** The placeholder of one secret; `mac` are 16 hex digits. */
export function placeholderOf(rule: string, mac: string): string {
  return `${PLACEHOLDER_START}${rule}:${mac}]`;
}

/** Whether a text holds a placeholder anywhere, also in what stands in it as base64. */
export function holdsPlaceholder(text: string): boolean {
  if (text.includes(PLACEHOLDER_START) && anyPlaceholder.test(text)) return true;
  return someBase64Text(text, ({ plain }) => holdsPlaceholder(plain));
}

/** Whether a text is one placeholder and nothing else: the whole value was a secret. */
export function isPlaceholder(text: string): boolean {
  return text.startsWith(PLACEHOLDER_START) && onlyPlaceholder.test(text);
}

/** Whether nothing but the name of an authentication scheme stands beside the placeholder. */
export function isRedactedCredential(text: string): boolean {
  return schemeAndPlaceholder.test(text);
}

/** Where the placeholders of a text are. */
export function placeholdersIn(text: string): { readonly start: number; readonly end: number }[] {
  if (!text.includes(PLACEHOLDER_START)) return [];
  return Array.from(text.matchAll(everyPlaceholder), ({ index, 0: found }) => ({
    start: index,
    end: index + found.length,
  }));
}

/** Ids of the rules that found what stands redacted in a text, each once. */
export function rulesIn(text: string): string[] {
  const rules = placeholdersIn(text).map(({ start, end }) =>
    text.slice(start + PLACEHOLDER_START.length, end - MAC_DIGITS - 2),
  );
  return [...new Set(rules)];
}

/** What tells the secrets of a text apart: the digits of the keyed hash of each placeholder, in order. */
export function macsIn(text: string): string[] {
  return placeholdersIn(text).map(({ end }) => text.slice(end - 1 - MAC_DIGITS, end - 1));
}
