import { placeholdersIn } from '../text/placeholder.ts';
import { base64Spans } from './base64-spans.ts';
import { entitySpans, hasEntities, withoutEntities } from './entity-spans.ts';
import { beyondLatinEscaped, escapeSpans, isEscaped, unescaped } from './escape-spans.ts';
import { namedSpans } from './named-spans.ts';
import { isPercentEncoded, percentDecoded, percentSpans } from './percent-spans.ts';
import { privateKeySpans } from './private-key-spans.ts';
import type { RedactionHints } from './redaction-hints.ts';
import type { PatternRule, SecretSpan } from './redaction-rule.ts';

/** A rule ready to be used. */
export interface CompiledRule {
  readonly rule: PatternRule;
  readonly everywhere: RegExp;
  /** Matches at one place, whatever is before it. */
  readonly here: RegExp;
}

/** Makes a rule ready. Throws a SyntaxError where its pattern is no regular expression. */
export function compileRule(rule: PatternRule): CompiledRule {
  const { after = '', pattern, startsWord } = rule;
  const source = `(${after})(?:${pattern})`;
  return {
    rule,
    everywhere: new RegExp(`${startsWord === true ? '(?<![A-Za-z0-9])' : ''}${source}`, 'g'),
    here: new RegExp(source, 'y'),
  };
}

function spansOf({ rule }: CompiledRule, found: RegExpExecArray): SecretSpan[] {
  const { input: text } = found;
  const match = { text, start: found.index + (found[1]?.length ?? 0), end: found.index + found[0].length };
  if (match.end <= match.start || rule.accepts?.(text.slice(match.start, match.end)) === false) return [];
  const places = rule.places?.(match) ?? [match];
  return places.map(({ start, end }) => ({ start, end, rule: rule.id }));
}

function patternSpans(text: string, rules: readonly CompiledRule[], seams: readonly number[]): SecretSpan[] {
  const spans: SecretSpan[] = [];
  for (const compiled of rules) {
    const { everywhere, here, rule } = compiled;
    if (rule.needs?.some((needed) => text.includes(needed)) === false) continue;
    for (const found of text.matchAll(everywhere)) {
      spans.push(...spansOf(compiled, found as RegExpExecArray));
    }
    // What one piece of a stream ends with is no reason to overlook what the next begins with.
    if (rule.startsWord !== true) continue;
    for (const seam of seams) {
      here.lastIndex = seam;
      const found = here.exec(text);
      if (found !== null) spans.push(...spansOf(compiled, found));
    }
  }
  return spans;
}

/** A text that is a secret by itself, whatever it looks like; `secret`: what makes its token, where it is written in another way. */
export interface KnownSecret {
  readonly text: string;
  readonly rule: string;
  readonly secret?: string;
}

export type KnownSecrets = readonly KnownSecret[];

/** A text as XML and HTML have it, which need not escape quotes. */
function inXml(text: string): string[] {
  const content = text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
  return [content, content.replaceAll('"', '&quot;').replaceAll("'", '&#39;')];
}

/** Texts as addresses, forms, JSON and XML have them, beside how they are: a form has `+` for a space, and nothing else may tell that it is one. */
export function writtenForms(known: KnownSecrets): KnownSecret[] {
  return known.flatMap((entry) => {
    const { text, rule } = entry;
    const inForm = new URLSearchParams([['', text]]).toString().slice(1);
    // Of what else is escaped, each client escapes as much as it likes; what is left is found where that is taken back.
    const wellFormed = text.toWellFormed();
    const inAddress = [encodeURIComponent(wellFormed), encodeURI(wellFormed), inForm, text.replaceAll(' ', '+')];
    const others = [...new Set([...inAddress, ...beyondLatinEscaped(text), ...inXml(text)])].filter(
      (form) => form !== text,
    );
    return [entry, ...others.map((form) => ({ text: form, rule, secret: text }))];
  });
}

function knownSpans(text: string, known: KnownSecrets): SecretSpan[] {
  const spans: SecretSpan[] = [];
  for (const { text: written, rule, secret = written } of known) {
    for (let start = text.indexOf(written); start >= 0; start = text.indexOf(written, start + written.length)) {
      spans.push({ start, end: start + written.length, rule, secret });
    }
  }
  return spans;
}

interface Range {
  readonly start: number;
  readonly end: number;
}

/** The first of these ranges, which are in order and apart, that ends behind a place. */
function firstEndingBehind(ranges: readonly Range[], place: number): number {
  let low = 0;
  let high = ranges.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((ranges[middle]?.end ?? 0) <= place) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** Whether a span overlaps one of the others, which are in order and apart. */
export function overlaps(span: Range, others: readonly Range[]): boolean {
  const next = others[firstEndingBehind(others, span.start)];
  return next !== undefined && next.start < span.end;
}

/** Spans in order and apart: of two that overlap the one that begins first is kept, made longer by the other. */
export function mergedSpans(spans: readonly SecretSpan[]): SecretSpan[] {
  const sorted = [...spans].sort((left, right) => left.start - right.start || right.end - left.end);
  const merged: SecretSpan[] = [];
  for (const span of sorted) {
    const last = merged.at(-1);
    if (last === undefined || span.start >= last.end) merged.push(span);
    else if (span.end > last.end) merged[merged.length - 1] = { start: last.start, end: span.end, rule: last.rule };
  }
  return merged;
}

/** Something that nobody could guess, unlike the scheme before a credential and the attributes behind a cookie. */
const unguessable = /(?=[\w+/-]{0,64}\d)(?=[\w+/-]{0,64}[A-Za-z])[\w+/-]{16}/;

/** What a named value has beside secrets that are known by their form: a list of cookies, of which one is a token, holds others. */
function besideCertain(text: string, { start, end, rule }: SecretSpan, certain: readonly SecretSpan[]): SecretSpan[] {
  const pieces: SecretSpan[] = [];
  let from = start;
  for (let index = firstEndingBehind(certain, start); from < end; index += 1) {
    const other = certain[index] ?? { start: end, end };
    pieces.push({ start: from, end: Math.min(other.start, end), rule });
    from = other.end;
  }
  return pieces.filter((piece) => piece.end > piece.start && unguessable.test(text.slice(piece.start, piece.end)));
}

/** What is looked for in a text. */
export interface SpanSearch {
  readonly rules: readonly CompiledRule[];
  /** A first look at what takes long: many rules look for long words alone, names are compared with each word. */
  readonly hints: Pick<RedactionHints, 'wordRulesFor' | 'testNames'>;
  readonly known: KnownSecrets;
  /** Whether names beside values say that these are secrets. */
  readonly names: boolean;
}

/** The secrets of a text as it is written. */
function plainSpans(
  text: string,
  { rules: all, hints, known, names }: SpanSearch,
  seams: readonly number[] = [],
): SecretSpan[] {
  const taken = placeholdersIn(text);
  const inWords = hints.wordRulesFor(text);
  const rules = all.filter(({ rule }) => rule.isInProse === true || inWords.has(rule));
  const sure = [
    ...knownSpans(text, known),
    ...patternSpans(text, rules, seams),
    ...(names ? privateKeySpans(text) : []),
  ];
  const certain = taken.length === 0 ? mergedSpans(sure) : mergedSpans(sure.filter((span) => !overlaps(span, taken)));
  const named =
    names && hints.testNames(text)
      ? namedSpans(text)
          .filter((span) => !overlaps(span, taken))
          .flatMap((span) => (overlaps(span, certain) ? besideCertain(text, span, certain) : [span]))
      : [];
  return named.length === 0 ? certain : mergedSpans([...certain, ...named]);
}

/** How often addresses that stand in addresses are decoded, and JSON that stands in JSON. */
const ENCODINGS_MAX = 3;
/** How deep a first look goes into base64: as deep as secrets are looked for, and the document around has an encoding of its own. */
export const BASE64_SEEN_DEPTH_MAX = ENCODINGS_MAX + 1;

function decodedOnce(text: string): string | undefined {
  if (isEscaped(text)) return unescaped(text);
  if (hasEntities(text)) return withoutEntities(text);
  return isPercentEncoded(text) ? percentDecoded(text) : undefined;
}

/** Looks at a text as it reads decoded, once and as often as it is encoded; whether one of these looks finds anything. */
export function holdsEncoded(text: string, look: (plain: string, times: number) => boolean): boolean {
  let plain = decodedOnce(text);
  for (let times = 1; times <= 2 * ENCODINGS_MAX && plain !== undefined; times += 1) {
    if (look(plain, times)) return true;
    plain = decodedOnce(plain);
  }
  return false;
}

/**
 * The secrets of one text, in order and apart. Placeholders are left alone. `seams`: where pieces of the text meet that
 * came one by one. Takes time linear in the text's length.
 */
export function findSpans(text: string, search: SpanSearch, seams: readonly number[] = []): SecretSpan[] {
  return encodedSpans(text, search, seams, ENCODINGS_MAX);
}

function encodedSpans(text: string, search: SpanSearch, seams: readonly number[], times: number): SecretSpan[] {
  const written = plainSpans(text, search, seams).map((span) => decodedSpan(text, span));
  if (times === 0) return written;
  const find = (plain: string): SecretSpan[] => encodedSpans(plain, search, [], times - 1);
  const encoded = [
    ...escapeSpans(text, find),
    ...entitySpans(text, find),
    ...percentSpans(text, find),
    ...base64Spans(text, find),
  ];
  return encoded.length === 0 ? written : mergedSpans([...written, ...encoded]);
}

/** What an encoded value reads as makes its token: the same secret is met as it is elsewhere. */
function decodedSpan(text: string, span: SecretSpan): SecretSpan {
  if (span.secret !== undefined) return span;
  let secret = text.slice(span.start, span.end);
  if (!isPercentEncoded(secret)) return span;
  for (let times = 0; times < ENCODINGS_MAX && isPercentEncoded(secret); times += 1) secret = percentDecoded(secret);
  return { ...span, secret };
}
