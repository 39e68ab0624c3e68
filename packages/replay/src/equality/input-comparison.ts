import { mayHoldToken, redactEncoded } from '@reenact/instrumentation';
import {
  CANONICAL_POLICIES,
  type CanonicalPolicy,
  type Crossing,
  canonicalJson,
  canonicalKeyOfTree,
  canonicalPolicy,
  canonicalTree,
  diffTrees,
  type EncodedValue,
  inputAsRecordedUnder,
  isTree,
  type JsonDiff,
  payloadTree,
  UNSENT_BODY_MARK,
} from '@reenact/trace-model';
import { type IgnoredPath, withoutIgnored } from '../plan/ignored-fields.ts';
import { changedLeaves } from './changed-leaves.ts';
import { type FileComparison, fileComparisonOf, withComparableFiles } from './comparable-files.ts';
import { comparableTree, hasRedactionKeyOf, type RedactedPlaces, unverifiablePlaces } from './redaction-check.ts';
import { withoutValuesAt } from './without-values-at.ts';

/** What comparing a live input with a recorded one gave. */
export type InputComparison =
  | {
      readonly type: 'equal';
      /** Places that are redacted with another key, compared by presence only. */
      readonly unverified: readonly string[];
      /** Places of which the recording holds nothing to compare with; absent where there are none. */
      readonly withoutContent?: readonly string[];
      /** Parts that may hold more than what shows of them and was compared, `/0 (class Order)`; absent where there are none. */
      readonly unseen?: readonly string[];
    }
  | { readonly type: 'changed' }
  /** The recording does not hold what a comparison needs. */
  | { readonly type: 'unknown'; readonly why: string };

/** Nothing differs, and nothing is unverified: what nearly every comparison gives. */
export const EQUAL: InputComparison = { type: 'equal', unverified: [] };

/** How a live input differs from a recorded one. */
export interface InputDifference {
  readonly difference: JsonDiff;
  readonly leaves: readonly string[];
}

interface CanonicalForm {
  readonly tree: unknown;
  readonly text: string;
}

/** How inputs of some recorded crossings are compared: by which policy, without which places, or by key alone. */
export interface ComparisonRule {
  readonly id: string;
  readonly policy: CanonicalPolicy;
  readonly redacted: RedactedPlaces;
  /** What the plan says is another value in every run. */
  readonly ignored: readonly IgnoredPath[];
  readonly files: FileComparison;
  /** Only the digest of the canonical input was recorded. */
  readonly byKey: boolean;
}

/** The places of a recorded input that the plan ignores. */
export type IgnoredPathsOf = (recorded: Crossing) => readonly IgnoredPath[];

const nothingIgnored: IgnoredPathsOf = () => [];
const nothingRedacted: RedactedPlaces = { whole: [], partial: [] };

function canonicalForm({ policy, redacted, ignored, files }: ComparisonRule, input: unknown): CanonicalForm {
  const { whole: hidden, partial } = redacted;
  const compared = withComparableFiles(input, files);
  const whole = canonicalTree(policy, hidden.length === 0 ? compared : withoutValuesAt(compared, hidden));
  const kept = ignored.length === 0 ? whole : withoutIgnored(whole, ignored);
  const text = canonicalJson(kept);
  if (!mayHoldToken(text)) return { tree: kept, text };
  const tree = comparableTree(kept, partial.length === 0 ? 'kept' : 'dropped');
  return { tree, text: canonicalJson(tree) };
}

/** One live input, put into canonical form once per rule however many candidates it is compared with. */
export class LiveInput {
  readonly value: EncodedValue;
  private readonly policy: CanonicalPolicy;
  private forms: Map<string, CanonicalForm> | undefined;
  private keys: Map<string, string> | undefined;

  /** `policy`: the one that a recording of the call would name now. */
  constructor(value: EncodedValue, policy: CanonicalPolicy = CANONICAL_POLICIES.arguments) {
    this.value = value;
    this.policy = policy;
  }

  private treeUnder({ policy }: ComparisonRule): unknown {
    return inputAsRecordedUnder(policy, this.policy, payloadTree(this.value.payload));
  }

  /** The canonical form under a rule. */
  formUnder(rule: ComparisonRule): CanonicalForm {
    // Most inputs are the very text that was recorded and never come here.
    this.forms ??= new Map();
    const known = this.forms.get(rule.id);
    if (known !== undefined) return known;
    const form = canonicalForm(rule, this.treeUnder(rule));
    this.forms.set(rule.id, form);
    return form;
  }

  /** Equal to what `InputComparer.matchTextOf` gives exactly for the recorded inputs that are equal to this one. */
  matchTextUnder(rule: ComparisonRule): string {
    if (!rule.byKey) return this.formUnder(rule).text;
    this.keys ??= new Map();
    const key = (): string => {
      const tree = this.treeUnder(rule);
      return canonicalKeyOfTree(rule.policy, rule.files === 'handle' ? withComparableFiles(tree, 'handle') : tree);
    };
    const known = this.keys.get(rule.id) ?? key();
    this.keys.set(rule.id, known);
    return known;
  }
}

/** Compares live inputs with recorded ones; canonical forms of the recording are made once, when first asked for. */
export class InputComparer {
  private readonly forms = new Map<string, CanonicalForm>();
  private readonly rules = new Map<string, ComparisonRule>();
  private readonly plainRules = new Map<string, ComparisonRule>();
  private readonly found = new Map<Crossing, ComparisonRule>();
  private readonly ignoredPathsOf: IgnoredPathsOf;

  constructor(ignoredPathsOf: IgnoredPathsOf = nothingIgnored) {
    this.ignoredPathsOf = ignoredPathsOf;
  }

  /** The rule that the recording names for this crossing, or undefined where its input cannot be compared. */
  ruleOf(recorded: Crossing): ComparisonRule | undefined {
    const isPlain = recorded.redacted.length === 0 && recorded.input?.data !== undefined;
    if (isPlain && fileComparisonOf(recorded, 'input') === 'content' && this.ignoredPathsOf(recorded).length === 0)
      return this.plainRule(recorded.canonicalPolicy);
    const found = this.found.get(recorded);
    if (found !== undefined) return found;
    const rule = this.makeRule(recorded);
    if (rule !== undefined) this.found.set(recorded, rule);
    return rule;
  }

  /** Whether both are the same text, and so are equal however they are compared. */
  isSameText(recorded: Crossing, { value: { payload } }: LiveInput): boolean {
    const { input } = recorded;
    const isSame = input?.data !== undefined && input.data === payload.data && input.format === payload.format;
    return isSame && this.ruleOf(recorded) !== undefined;
  }

  /** Most crossings differ in the name of their policy at most, and many thousands may share one. */
  private plainRule(name: string): ComparisonRule | undefined {
    const known = this.plainRules.get(name);
    if (known !== undefined) return known;
    const policy = canonicalPolicy(name);
    if (policy === undefined) return undefined;
    const rule = {
      id: `plain\n${name}`,
      policy,
      redacted: nothingRedacted,
      ignored: [],
      files: 'content' as const,
      byKey: false,
    };
    this.plainRules.set(name, rule);
    return rule;
  }

  private makeRule(recorded: Crossing): ComparisonRule | undefined {
    const byKey = recorded.input?.data === undefined;
    if (byKey && recorded.key === undefined) return undefined;
    const policy = canonicalPolicy(recorded.canonicalPolicy);
    if (policy === undefined) return undefined;
    const redacted = unverifiablePlaces(recorded, policy);
    // A digest of redacted text can only be made again with the key.
    if (byKey && !hasRedactionKeyOf(recorded)) return undefined;
    const ignored = this.ignoredPathsOf(recorded);
    const places = [...redacted.whole, '', ...redacted.partial];
    const files = fileComparisonOf(recorded, 'input');
    const id = [
      byKey ? 'key' : 'tree',
      files,
      recorded.canonicalPolicy,
      ...places,
      ...ignored.map(({ text }) => text),
    ].join('\n');
    const known = this.rules.get(id);
    if (known !== undefined) return known;
    const rule = { id, policy, redacted, ignored, files, byKey };
    this.rules.set(id, rule);
    return rule;
  }

  private formOf(recorded: Crossing, rule: ComparisonRule): CanonicalForm | undefined {
    const known = this.forms.get(recorded.spanId);
    if (known !== undefined || recorded.input?.data === undefined) return known;
    // A recording from before redaction, or by somebody else, holds what the live side has a token for.
    const { payload } = redactEncoded({ payload: recorded.input, lossy: [] });
    const form = canonicalForm(rule, payloadTree(payload));
    this.forms.set(recorded.spanId, form);
    return form;
  }

  /** A text that is equal for exactly the inputs that are equal under the rule. */
  matchTextOf(recorded: Crossing, rule: ComparisonRule): string {
    return this.formOf(recorded, rule)?.text ?? recorded.key ?? '';
  }

  /** Compares under the policy that the recording names. */
  compare(recorded: Crossing, live: LiveInput): InputComparison {
    const rule = this.ruleOf(recorded);
    if (rule === undefined) return { type: 'unknown', why: whyUnknown(recorded) };
    const isEqual = this.isSameText(recorded, live) || this.matchTextOf(recorded, rule) === live.matchTextUnder(rule);
    if (!isEqual) {
      const isEqualBut = this.isEqualButForItsBody(recorded, rule, live);
      return isEqualBut ? { type: 'equal', unverified: [], withoutContent: ['/body'] } : { type: 'changed' };
    }
    const unverified = [...rule.redacted.whole, ...rule.redacted.partial];
    const withoutContent = opaquePlaces(recorded);
    const unseen = unseenParts(recorded);
    if (unverified.length + withoutContent.length + unseen.length === 0) return EQUAL;
    return {
      type: 'equal',
      unverified,
      ...(withoutContent.length === 0 ? {} : { withoutContent }),
      ...(unseen.length === 0 ? {} : { unseen }),
    };
  }

  /** Whether all is equal but a body that the recording never knew: it had not been read to its end when the request was over. */
  private isEqualButForItsBody(recorded: Crossing, rule: ComparisonRule, live: LiveInput): boolean {
    if (!isBodyUnknown(recorded)) return false;
    const known = this.formOf(recorded, rule)?.tree;
    const { tree } = live.formUnder(rule);
    if (!isTree(known) || !isTree(tree) || Object.hasOwn(known, 'body')) return false;
    const { body: _, isBroken: __, ...rest } = tree;
    return canonicalJson(known) === canonicalJson(rest);
  }

  /** Both inputs as they are compared; undefined on a side that is not known. */
  trees(recorded: Crossing, live: LiveInput): { readonly recorded: unknown; readonly live: unknown } {
    const rule = this.ruleOf(recorded);
    if (rule === undefined) return { recorded: undefined, live: undefined };
    return { recorded: this.formOf(recorded, rule)?.tree, live: live.formUnder(rule).tree };
  }

  /** The bounded list of what differs; asked only once a candidate is chosen. */
  difference(recorded: Crossing, live: LiveInput): InputDifference {
    const rule = this.ruleOf(recorded);
    const recordedForm = rule === undefined ? undefined : this.formOf(recorded, rule);
    const liveTree = rule === undefined ? undefined : live.formUnder(rule).tree;
    if (recordedForm === undefined) {
      const entry = { path: '$', recorded: `only its digest was recorded: ${recorded.key ?? 'none'}` };
      return { difference: { entries: [entry], total: 1 }, leaves: changedLeaves(undefined, liveTree) };
    }
    return { difference: diffTrees(recordedForm.tree, liveTree), leaves: changedLeaves(recordedForm.tree, liveTree) };
  }
}

/** The request was answered or called off before its end, its connection failed, or its process stopped. */
function isBodyUnknown({ kind, lossy, canonicalPolicy: name, exchanges, outcome }: Crossing): boolean {
  if (lossy.includes(UNSENT_BODY_MARK)) return true;
  if (exchanges.some(({ response }) => response !== undefined)) return false;
  const hasFailed = name === CANONICAL_POLICIES.httpRequest.name && exchanges.length > 0;
  return hasFailed || (kind === 'http' && outcome.type === 'pending');
}

/** Places of an input that hold what has no content to compare: a symbol, a live handle, something unreadable. */
function opaquePlaces(recorded: Crossing): string[] {
  if (recorded.lossy.length === 0) return [];
  return recorded.lossy.flatMap((mark) => {
    const place = /^\/input(\/\S*)? (symbol|handle|unreadable|too-deep|too-large)(?!\S)/.exec(mark);
    return place === null ? [] : [place[1] ?? '/'];
  });
}

/** A private field, or a member under a symbol, is in no recording. */
function unseenParts({ lossy }: Crossing): string[] {
  if (lossy.length === 0) return [];
  return lossy.flatMap((mark) => {
    const part = /^\/input(\/\S*)? ((?:error-)?class .*|members|symbol-members|too-many-fields)$/.exec(mark);
    return part === null ? [] : [`${part[1] ?? '/'} (${part[2]})`];
  });
}

function whyUnknown({ canonicalPolicy: name, key }: Crossing): string {
  if (canonicalPolicy(name) !== undefined && key !== undefined)
    return 'only its digest was recorded, after redaction with another key';
  if (canonicalPolicy(name) !== undefined) return 'its input was not recorded';
  return `this version does not know the input policy "${name}"`;
}
