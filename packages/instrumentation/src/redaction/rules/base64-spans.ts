import { asBase64, someBase64Text } from '../text/base64-text.ts';
import type { SecretSpan } from './redaction-rule.ts';

/** The secrets of the texts that stand in this one as base64, given how to find those of a plain one: each such text is a span as a whole. */
export function base64Spans(text: string, find: (plain: string) => readonly SecretSpan[]): SecretSpan[] {
  const spans: SecretSpan[] = [];
  someBase64Text(text, ({ start, end, plain }) => {
    const inside = find(plain);
    const rule = inside[0]?.rule;
    if (rule === undefined) return false;
    const written = (changed: string): string => asBase64(changed, text.slice(start, end));
    spans.push({ start, end, rule, inBase64: { plain, spans: inside, written } });
    return false;
  });
  return spans;
}
