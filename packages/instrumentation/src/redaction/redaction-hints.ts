import { someLongWord } from './long-words.ts';
import { isPercentEncoded, percentDecoded } from './percent-spans.ts';
import { PLACEHOLDER_START } from './placeholder.ts';
import type { PatternRule } from './redaction-rule.ts';
import { SECRET_NAME_HINT } from './secret-names.ts';

function alternatives(sources: readonly string[]): RegExp | undefined {
  return sources.length === 0 ? undefined : new RegExp([...new Set(sources)].join('|'));
}

/** What is looked for in all of a text. */
interface ProseHint {
  readonly pattern: RegExp;
  /** Stands in each text that the pattern matches, and is found faster; absent where there is no such text. */
  readonly needed: string | undefined;
}

function proseHints(patterns: readonly PatternRule[]): ProseHint[] {
  const hints = new Map<string, ProseHint>();
  for (const { hint, isInProse, needs } of patterns) {
    if (isInProse !== true || hints.has(hint)) continue;
    const [only, ...others] = needs ?? [];
    // A first letter that prose is full of is found no faster than the whole pattern.
    const needed = others.length === 0 && only !== undefined && /^[^A-Za-z]/.test(only) ? only : undefined;
    hints.set(hint, { pattern: new RegExp(hint), needed });
  }
  return [...hints.values()];
}

function testProse({ pattern, needed }: ProseHint, text: string): boolean {
  return (needed === undefined || text.includes(needed)) && pattern.test(text);
}

/** Tells cheaply that a text holds no secret, so that most payloads are looked at once and never taken apart. */
export class RedactionHints {
  private readonly inWords: RegExp | undefined;
  private readonly inProse: readonly ProseHint[];
  private readonly usesNames: boolean;

  constructor(patterns: readonly PatternRule[], usesNames: boolean) {
    this.inWords = alternatives(patterns.filter(({ isInProse }) => isInProse !== true).map(({ hint }) => hint));
    this.inProse = proseHints(patterns);
    this.usesNames = usesNames;
  }

  /** False where no rule can find anything in this text, which may be JSON. */
  test(text: string): boolean {
    return this.testPlain(text) || (isPercentEncoded(text) && this.testPlain(percentDecoded(text)));
  }

  private testPlain(text: string): boolean {
    // Recorded bytes are base64, in which nothing can be seen. Of quotes there are many, of this character few.
    if (text.includes(PLACEHOLDER_START) || text.includes('$":"bytes"')) return true;
    if (this.usesNames && (text.includes('PRIVATE KEY') || SECRET_NAME_HINT.test(text))) return true;
    return this.inProse.some((hint) => testProse(hint, text)) || this.testWords(text);
  }

  private testWords(text: string): boolean {
    const { inWords } = this;
    return inWords !== undefined && someLongWord(text, (word) => inWords.test(word));
  }
}
