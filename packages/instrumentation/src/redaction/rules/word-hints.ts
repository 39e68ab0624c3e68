import { startKeyOf, TextStarts } from '../text/text-starts.ts';
import { longWords } from './long-words.ts';
import type { PatternRule } from './redaction-rule.ts';

interface HintHere {
  readonly rule: PatternRule;
  readonly here: RegExp;
}

/** Tells which of the rules that look for long words may find something in a text. */
export class WordHints {
  private readonly starts: TextStarts;
  private readonly byKey = new Map<number, HintHere[]>();

  /** `rules`: each says what its hint begins with. */
  constructor(rules: readonly PatternRule[]) {
    for (const rule of rules) {
      const hinted = { rule, here: new RegExp(rule.hint, 'y') };
      for (const key of new Set((rule.hintStarts ?? []).map(startKeyOf))) {
        this.byKey.set(key, [...(this.byKey.get(key) ?? []), hinted]);
      }
    }
    this.starts = new TextStarts(rules.flatMap(({ hintStarts = [] }) => hintStarts));
  }

  /** False where none of the rules can find anything. */
  test(text: string): boolean {
    return this.some(text, () => true);
  }

  /** The rules that may find something. */
  rulesFor(text: string): ReadonlySet<PatternRule> {
    const found = new Set<PatternRule>();
    this.some(
      text,
      (rule) => {
        found.add(rule);
        return false;
      },
      found,
    );
    return found;
  }

  private some(text: string, test: (rule: PatternRule) => boolean, known?: ReadonlySet<PatternRule>): boolean {
    return longWords.someRange(text, (from, to) =>
      this.starts.some(text, from, to, (at, key) => {
        for (const { rule, here } of this.byKey.get(key) ?? []) {
          if (known?.has(rule) === true) continue;
          here.lastIndex = at;
          if (here.test(text) && test(rule)) return true;
        }
        return false;
      }),
    );
  }
}
