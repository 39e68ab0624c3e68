import { isHarmlessValue, secrecyOfName } from '../text/secret-names.ts';
import type { SecretSpan } from './redaction-rule.ts';
import { isUnquotedSecret } from './unquoted-value.ts';

/** A name and a colon, neither in quotes: in YAML, in what a program prints, in a map or struct that Go prints. */
const named = /(?<![\w.$/:@-])([A-Za-z_][\w.-]{1,79})[^\S\n]?:([^\S\n]{0,8})(?=[^\s"'\\<>`])/g;
const writtenValue = /[^\s"'\\<>`]{4,512}/y;
/** What ends a sentence, a list or a map, and no value. */
const trailing = /[.,;:!?)\]}…”»。、，！？]+$/;
/** What a member of a printed map or struct of Go stands behind where it is not the first. */
const anotherMember = /:[^\s"',;]* $/;
const memberOfMap = /^[^\s,;[\]{}]+/;
/** As far as is looked back for the member before. */
const MEMBER_CHARACTERS_MAX = 200;

/** Whether a member of a printed map or struct of Go may begin there. One character tells for most places. */
function isInMap(text: string, index: number): boolean {
  const before = text[index - 1];
  if (before !== ' ') return before === '[' || before === '{';
  return anotherMember.test(text.slice(Math.max(0, index - MEMBER_CHARACTERS_MAX), index));
}

/** The value of a name: behind a space it goes to the next one, in a map it needs none before. */
function valueBehind(text: string, { index, 0: whole, 2: space = '' }: RegExpExecArray): string {
  writtenValue.lastIndex = index + whole.length;
  const written = writtenValue.exec(text)?.[0] ?? '';
  if (space !== '') return written.replace(trailing, '');
  const value = memberOfMap.exec(written)?.[0] ?? '';
  const after = text[index + whole.length + value.length] ?? '';
  return /[ \]}]/.test(after) && isInMap(text, index) ? value : '';
}

/** Values of a text that stand beside a name of a secret where neither is in quotes: `api_key: …` of YAML, `map[password:…]` of Go. */
export function unquotedSpans(text: string): SecretSpan[] {
  const spans: SecretSpan[] = [];
  let covered = 0;
  for (const found of text.matchAll(named)) {
    if (found.index < covered || secrecyOfName(found[1] ?? '') === undefined) continue;
    const start = found.index + found[0].length;
    const value = valueBehind(text, found);
    if (isHarmlessValue(value) || !isUnquotedSecret(found[1] ?? '', value)) continue;
    covered = start + value.length;
    spans.push({ start, end: covered, rule: 'named-value' });
  }
  return spans;
}
