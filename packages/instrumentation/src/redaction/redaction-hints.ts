import { someLongWord } from './long-words.ts';
import { isPercentEncoded, percentDecoded } from './percent-spans.ts';
import { PLACEHOLDER_START } from './placeholder.ts';
import type { PatternRule } from './redaction-rule.ts';
import { SECRET_NAME_HINT } from './secret-names.ts';

function alternatives(sources: readonly string[]): RegExp | undefined {
  return sources.length === 0 ? undefined : new RegExp([...new Set(sources)].join('|'));
}

/** Tells cheaply that a text holds no secret, so that most payloads are looked at once and never taken apart. */
export class RedactionHints {
  private readonly inWords: RegExp | undefined;
  private readonly inProse: readonly RegExp[];
  private readonly usesNames: boolean;

  constructor(patterns: readonly PatternRule[], usesNames: boolean) {
    this.inWords = alternatives(patterns.filter(({ isInProse }) => isInProse !== true).map(({ hint }) => hint));
    this.inProse = [...new Set(patterns.flatMap(({ hint, isInProse }) => (isInProse === true ? [hint] : [])))].map(
      (hint) => new RegExp(hint),
    );
    this.usesNames = usesNames;
  }

  /** False where no rule can find anything in this text, which may be JSON. */
  test(text: string): boolean {
    return this.testPlain(text) || (isPercentEncoded(text) && this.testPlain(percentDecoded(text)));
  }

  private testPlain(text: string): boolean {
    // Recorded bytes are base64, in which nothing can be seen.
    if (text.includes(PLACEHOLDER_START) || text.includes('"$":"bytes"')) return true;
    if (this.usesNames && (text.includes('PRIVATE KEY') || SECRET_NAME_HINT.test(text))) return true;
    return this.inProse.some((hint) => hint.test(text)) || this.testWords(text);
  }

  private testWords(text: string): boolean {
    const { inWords } = this;
    return inWords !== undefined && someLongWord(text, (word) => inWords.test(word));
  }
}
