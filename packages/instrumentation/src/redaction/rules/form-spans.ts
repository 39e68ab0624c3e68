import { isSecretValue, secrecyOfName } from '../text/secret-names.ts';
import type { SecretSpan } from './redaction-rule.ts';

/** The mark before a part of a form and the headers of that part (RFC 7578); the mark ends its value, too. */
const partHead = /(?:^|\n)(--[^\r\n]{1,200})\r?\n((?:[A-Za-z][A-Za-z-]{0,63}:[^\r\n]{0,2048}\r?\n){1,8})\r?\n/g;
/** Browsers put the name in quotes; others, as clients of .NET, do so only where it has to be. */
const partName = /^content-disposition:[^\r\n]*?;[ \t]*name\*?[ \t]*=[ \t]*(?:"([^"\r\n]*)"|([^\s";]+))/im;
/** What may stand before a name in no quotes, its character set and language (RFC 8187), and quotes of another kind. */
const aroundBareName = /^(?:[\w-]*'[\w-]*'(?=.)|')|'$/g;

/** Where the part that begins at `start` ends: before the line of the next mark, else, of a form broken off, with the text. */
function endOfPart(text: string, start: number, mark: string): number {
  // The line of an empty value ends what stands before it.
  const next = text.indexOf(`\n${mark}`, start - 1);
  if (next < 0) return text.length;
  return text[next - 1] === '\r' ? next - 1 : next;
}

/** Values of the parts of a form, `multipart/form-data`, whose names say that they are secrets. */
export function formSpans(text: string): SecretSpan[] {
  const spans: SecretSpan[] = [];
  let covered = 0;
  for (const { index, 0: head, 1: mark = '', 2: headers = '' } of text.matchAll(partHead)) {
    if (index < covered) continue;
    const [, quoted, bare] = partName.exec(headers) ?? [];
    const secrecy = secrecyOfName(quoted ?? bare?.replaceAll(aroundBareName, '') ?? '');
    if (secrecy === undefined) continue;
    const start = index + head.length;
    // Looked for once, whatever is found, or many parts without an end would take quadratic time.
    covered = endOfPart(text, start, mark);
    if (covered > start && isSecretValue(secrecy, text.slice(start, covered))) {
      spans.push({ start, end: covered, rule: 'named-value' });
    }
  }
  return spans;
}
