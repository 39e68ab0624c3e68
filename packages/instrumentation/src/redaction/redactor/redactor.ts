import { createHmac } from 'node:crypto';
import { ReenactError } from '@reenact/trace-model';
import { REMEMBERED_TOKENS_MAX } from '../../limits.ts';
import { isOwnCredential } from '../messages/message-token.ts';
import { DEFAULT_RULES, PERSONAL_RULES } from '../rules/default-rules.ts';
import { documentSpans } from '../rules/document-spans.ts';
import {
  BASE64_SEEN_DEPTH_MAX,
  type CompiledRule,
  compileRule,
  findSpans,
  holdsEncoded,
  type KnownSecrets,
  mergedSpans,
  overlaps,
  writtenForms,
} from '../rules/find-spans.ts';
import { RedactionHints } from '../rules/redaction-hints.ts';
import type { PatternRule, SecretSpan } from '../rules/redaction-rule.ts';
import { isItem, type SecretOption, secretOption } from '../rules/secret-option.ts';
import { someBase64Text } from '../text/base64-text.ts';
import type { JsonLeaf } from '../text/json-leaves.ts';
import { isRedactedCredential, placeholderOf } from '../text/placeholder.ts';
import { isHarmlessValue, isRoundTripValue, looksSecret, secrecyOfName } from '../text/secret-names.ts';
import { editedText, type TextEdit } from '../text/text-edit.ts';
import type { RedactionKey } from './redaction-key.ts';
import { type RedactionOptions, type RedactionRule, RULE_ID_PATTERN } from './redaction-options.ts';

/** A leaf, wherever it stands. */
export type LeafValue = Omit<JsonLeaf, 'start' | 'end'>;

/** What a redactor is made of. */
export interface RedactorParts {
  readonly options: RedactionOptions;
  /** Asked for when the first secret is found. */
  readonly key: () => RedactionKey;
  /** Texts that are secrets by themselves. */
  readonly known?: KnownSecrets;
}

/** A text this short is searched at once. */
const SHORT_TEXT_CHARACTERS = 4;

/** As many digits as the number of a payment card has. */
const cardNumber = /^\d{13,19}$/;

const everything = {
  steps: [] as readonly string[],
  isNumber: false,
  name: undefined,
  calledBy: undefined,
  isBytes: false,
};

function checked(rule: RedactionRule): RedactionRule {
  const { id, path, pattern, find } = rule;
  const isComplete = path !== undefined || pattern !== undefined || find !== undefined;
  if (RULE_ID_PATTERN.test(id) && isComplete) return rule;
  throw new ReenactError('bad-argument', `The redaction rule "${id}" cannot be used.`, {
    where: `redaction rule ${id}`,
    next: 'Give it an id of lower-case words joined by hyphens, and a path, a pattern or a find function.',
  });
}

function matchesPath(steps: readonly string[], wanted: readonly string[]): boolean {
  for (let from = 0; from + wanted.length <= steps.length; from += 1) {
    if (wanted.every((step, index) => step === '*' || step === steps[from + index])) return true;
  }
  return false;
}

function jsonText(text: string): string {
  return JSON.stringify(text).slice(1, -1);
}

/** Finds secrets in texts and replaces each by its token. One per process; its rules never change. */
export class Redactor {
  /** Ids of all rules in force, for the resource. */
  readonly ruleIds: readonly string[];
  /** How often each rule has found something. */
  readonly found = new Map<string, number>();
  private readonly compiled: readonly CompiledRule[];
  private readonly known: KnownSecrets;
  /** All that a known secret is written as, in JSON, too. */
  private readonly knownTexts: readonly string[];
  private readonly users: readonly RedactionRule[];
  private readonly paths: readonly { readonly id: string; readonly steps: readonly string[] }[];
  private readonly hints: RedactionHints;
  private readonly keyOf: () => RedactionKey;
  private readonly tokens = new Map<string, string>();
  private readonly usesNames: boolean;

  /** Throws ReenactError `bad-argument` where a rule of the user cannot be used. */
  constructor({ options, key, known = [] }: RedactorParts) {
    const { defaults = true, without = [], personal = [], rules = [] } = options;
    const wanted = (defaults ? DEFAULT_RULES : []).filter(({ id }) => !without.includes(id));
    const patterns: PatternRule[] = [...wanted, ...personal.map((name) => PERSONAL_RULES[name])];
    this.users = rules.map(checked);
    this.usesNames = defaults && !without.includes('named-value');
    this.compiled = patterns.map(compileRule);
    this.known = defaults ? writtenForms(known) : [];
    this.knownTexts = [...new Set(this.known.flatMap(({ text }) => [text, jsonText(text)]))];
    this.paths = this.users.flatMap(({ id, path }) => (path === undefined ? [] : [{ id, steps: path.split('.') }]));
    this.hints = new RedactionHints(patterns, this.usesNames);
    this.keyOf = key;
    const own = this.usesNames ? ['named-value', 'private-key'] : [];
    this.ruleIds = [...new Set([...patterns, ...this.users].map(({ id }) => id).concat(own))].sort();
  }

  /** The id of the key, once it is needed. */
  get keyId(): string {
    return this.keyOf().id;
  }

  /** Whether there is any rule. */
  get isOn(): boolean {
    return this.ruleIds.length > 0;
  }

  /** Whether the user added rules of their own; a first look cannot tell what those find. */
  get hasUserRules(): boolean {
    return this.users.length > 0;
  }

  /** Whether a rule of the user names what stands at this place, whatever it is. */
  isNamedByPath(steps: readonly string[]): boolean {
    return this.paths.some(({ steps: wanted }) => matchesPath(steps, wanted));
  }

  /** The cheap first look: false where no rule can find anything in this text, which may be JSON. */
  mayHold(text: string): boolean {
    return this.users.length > 0 || this.mayHoldEncoded(text, BASE64_SEEN_DEPTH_MAX);
  }

  /** `times`: how many encodings are taken back before the base64 of a text is looked into no more. Each has several ways into the next. */
  private mayHoldEncoded(text: string, times: number): boolean {
    const inBase64 = (read: string, left: number): boolean =>
      left > 0 && someBase64Text(read, ({ plain }) => this.mayHoldEncoded(plain, left - 1));
    if (this.mayHoldPlain(text) || inBase64(text, times)) return true;
    return holdsEncoded(text, (plain, taken) => this.mayHoldPlain(plain) || inBase64(plain, times - taken));
  }

  private readonly mayHoldPlain = (text: string): boolean => this.hints.test(text) || this.holdsWritten(text);

  /** Whether a text holds one of the texts that are secrets by themselves, as it is, in JSON, or percent-encoded in any way. */
  holdsKnown(text: string): boolean {
    if (this.knownTexts.length === 0) return false;
    return this.holdsWritten(text) || holdsEncoded(text, this.holdsWritten);
  }

  private readonly holdsWritten = (text: string): boolean => this.knownTexts.some((written) => text.includes(written));

  /** Counts what a rule has found. */
  count(rule: string, times: number): void {
    this.found.set(rule, (this.found.get(rule) ?? 0) + times);
  }

  /** The token of a secret; what is a token of this key already stays as it is. */
  placeholder(rule: string, secret: string): string {
    if (isOwnCredential(this, secret)) return secret;
    this.count(rule, 1);
    return placeholderOf(rule, this.mac(secret));
  }

  /** What tells texts apart without giving them away: the first 16 hex digits of an HMAC under the key. */
  mac(text: string): string {
    const known = this.tokens.get(text);
    if (known !== undefined) return known;
    const mac = createHmac('sha256', this.keyOf().bytes).update(text).digest('hex').slice(0, 16);
    if (this.tokens.size >= REMEMBERED_TOKENS_MAX) this.tokens.clear();
    this.tokens.set(text, mac);
    return mac;
  }

  /** The secrets in a plain text. `seams`: where pieces meet that came one by one. */
  spans(text: string, path: readonly string[] = [], seams: readonly number[] = []): SecretSpan[] {
    const found = this.usesNames || this.compiled.length > 0 ? this.defaultSpans(text, seams) : [];
    if (this.users.length === 0 && !this.usesNames) return found;
    const inside = this.leafSpans(text, path);
    return inside.length === 0 ? found : mergedSpans([...inside, ...found]);
  }

  /** What places, names and the rules of the user find in JSON inside a text: an agent hands on to a model what a tool gave it. */
  private leafSpans(text: string, path: readonly string[]): SecretSpan[] {
    const inside = documentSpans(text, (leaf) => this.insideSpans({ ...leaf, steps: [...path, ...leaf.steps] }));
    const written = this.users.flatMap((rule) => userSpans(rule, text, path));
    if (inside.length === 0 || written.length === 0) return [...inside, ...written];
    // As it is written, a pattern may take the letter of a `\\n` with it, and what is left of that is no JSON.
    const read = mergedSpans(inside);
    return [...read, ...written.filter((span) => !overlaps(span, read))];
  }

  private insideSpans(leaf: LeafValue): SecretSpan[] {
    const { value, steps, name, calledBy, isNumber } = leaf;
    const path = this.paths.find(({ steps: wanted }) => matchesPath(steps, wanted));
    if (isNumber) {
      const rule = path?.id ?? this.numberRule(leaf);
      if (rule !== undefined) return [{ start: 0, end: value.length, rule }];
      return cardNumber.test(value) ? this.spans(value) : [];
    }
    if (path === undefined && isRoundTripValue(name, value)) return this.leafSpans(value, steps);
    const option = path === undefined && this.usesNames && isItem(leaf) ? secretOption(value) : undefined;
    if (option !== undefined) {
      const { name: calledBy, start: from } = option;
      const spans = this.insideSpans({ ...leaf, name: undefined, calledBy, value: value.slice(from) });
      return spans.map((span) => ({ ...span, start: from + span.start, end: from + span.end }));
    }
    if (path === undefined && !this.isNamedSecret(name, calledBy, value)) return this.leafSpans(value, steps);
    const whole = { start: 0, end: value.length, rule: path?.id ?? 'named-value' };
    // As of any leaf: what it holds is replaced first.
    const spans = this.spans(value, steps);
    const secret = editedText(
      value,
      spans.map((span) => this.replacement(span, value)),
    );
    return isRedactedCredential(secret) ? spans : [{ ...whole, secret }];
  }

  private defaultSpans(text: string, seams: readonly number[]): SecretSpan[] {
    const { compiled: rules, known, usesNames: names } = this;
    return findSpans(text, { rules, known, names, hints: this.hints }, seams);
  }

  /** What to replace in a plain text. */
  edits(text: string, path: readonly string[] = []): TextEdit[] {
    return this.spans(text, path).map((span) => {
      this.count(span.rule, 1);
      return this.replacement(span, text);
    });
  }

  /** What stands in the place of a secret of a text; not counted. */
  replacement({ start, end, rule, secret, quote = '', inBase64 }: SecretSpan, text: string): TextEdit {
    if (inBase64 !== undefined) {
      const { plain, spans, written } = inBase64;
      const edits = spans.map((span) => this.replacement(span, plain));
      return { start, end, text: written(editedText(plain, edits)) };
    }
    const found = secret ?? text.slice(start, end);
    // What was given among bytes, and is handed on in a text.
    const token = isOwnCredential(this, found) ? found : placeholderOf(rule, this.mac(found));
    return { start, end, text: quote + token + quote };
  }

  /** What to replace in the value of one leaf. */
  leafEdits(leaf: LeafValue): TextEdit[] {
    const { value, name, calledBy, isNumber, steps } = leaf;
    const whole = (rule: string, secret: string): TextEdit[] => [
      { start: 0, end: value.length, text: this.placeholder(rule, secret) },
    ];
    const path = this.paths.find(({ steps: wanted }) => matchesPath(steps, wanted));
    if (isNumber) return this.numberEdits(leaf, path?.id, whole);
    if (isRoundTripValue(name, value) && path === undefined) return [];
    const option = path === undefined && this.usesNames && isItem(leaf) ? secretOption(value) : undefined;
    if (option !== undefined) return this.optionEdits(leaf, option);
    const edits = value.length > SHORT_TEXT_CHARACTERS && !this.mayHold(value) ? [] : this.edits(value, steps);
    if (path === undefined && !this.isNamedSecret(name, calledBy, value)) return edits;
    // A secret inside is replaced first: on replay its token stands there, and the whole must come out the same.
    const inner = editedText(value, edits);
    return isRedactedCredential(inner) ? edits : whole(path?.id ?? 'named-value', inner);
  }

  /** The option and its value in one word of a command line, as if they were two: all that follows is the value. */
  private optionEdits(leaf: LeafValue, { name, start: from }: SecretOption): TextEdit[] {
    const edits = this.leafEdits({ ...leaf, name: undefined, calledBy: name, value: leaf.value.slice(from) });
    return edits.map(({ start, end, text }) => ({ start: from + start, end: from + end, text }));
  }

  private numberEdits(
    leaf: LeafValue,
    pathRule: string | undefined,
    whole: (rule: string, secret: string) => TextEdit[],
  ): TextEdit[] {
    const rule = pathRule ?? this.numberRule(leaf);
    if (rule !== undefined) return whole(rule, leaf.value);
    return cardNumber.test(leaf.value) ? this.edits(leaf.value) : [];
  }

  private numberRule({ value, name, calledBy }: LeafValue): string | undefined {
    if (!this.usesNames || value.length < 3) return undefined;
    const isSecret = [name, calledBy].some((told) => told !== undefined && secrecyOfName(told) === 'secret');
    return isSecret ? 'named-value' : undefined;
  }

  private isNamedSecret(name: string | undefined, calledBy: string | undefined, value: string): boolean {
    if (!this.usesNames || isHarmlessValue(value)) return false;
    // An option or the first of a pair introduces its value and nothing else.
    const called = calledBy === undefined ? undefined : secrecyOfName(calledBy);
    if (called === 'secret' || called === 'vague') return true;
    return looksSecret(called, value) || (name !== undefined && looksSecret(secrecyOfName(name), value));
  }

  /** What to replace in the name of a member. It has no name itself, and what paths name is its value. */
  nameEdits(name: string): TextEdit[] {
    return this.mayHold(name) ? this.edits(name) : [];
  }

  /** A name as it stands in a pointer to what it names; not counted. */
  step(name: string): string {
    if (!this.mayHold(name)) return name;
    return editedText(
      name,
      this.spans(name).map((span) => this.replacement(span, name)),
    );
  }

  /** A plain text without its secrets. */
  text(text: string): string {
    return this.mayHold(text) ? editedText(text, this.leafEdits({ ...everything, value: text })) : text;
  }

  /** The whole of a credential as its token; nothing is left of it. */
  credential(text: string): string {
    return text === '' || isRedactedCredential(text) ? text : this.placeholder('named-value', text);
  }

  /** The value of a header or another named text without its secrets. */
  namedText(name: string, text: string): string {
    return editedText(text, this.leafEdits({ ...everything, name, value: text }));
  }
}

/** Whoever calls withholds what was to be searched. */
function badFind(id: string): ReenactError {
  return new ReenactError(
    'bad-argument',
    `The find function of the redaction rule "${id}" gave something that is no text.`,
    {
      where: `redaction rule ${id}`,
      next: 'Let it give a list of the secrets themselves: (text) => text.match(/…/g) ?? [].',
    },
  );
}

function userSpans({ id, pattern, find }: RedactionRule, text: string, path: readonly string[]): SecretSpan[] {
  const spans: SecretSpan[] = [];
  if (pattern !== undefined) {
    const everywhere = new RegExp(pattern.source, `${pattern.flags.replaceAll(/[gy]/g, '')}g`);
    for (const { index, 0: secret } of text.matchAll(everywhere)) {
      if (secret !== '') spans.push({ start: index, end: index + secret.length, rule: id });
    }
  }
  for (const secret of find?.(text, path) ?? []) {
    if (secret === '') continue;
    if (typeof secret !== 'string') throw badFind(id);
    for (let start = text.indexOf(secret); start >= 0; start = text.indexOf(secret, start + secret.length)) {
      spans.push({ start, end: start + secret.length, rule: id });
    }
  }
  return spans;
}
