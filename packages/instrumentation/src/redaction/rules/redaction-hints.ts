import { CharacterRuns } from '../text/character-runs.ts';
import { holdsEnding } from '../text/holds-ending.ts';
import { PLACEHOLDER_START } from '../text/placeholder.ts';
import { mayHoldAligned, SECRET_NAME_HINT } from '../text/secret-names.ts';
import { mayHoldKubernetesSecret } from './kubernetes-spans.ts';
import { mayHoldPair } from './pair-spans.ts';
import type { PatternRule } from './redaction-rule.ts';
import { WordHints } from './word-hints.ts';

/** A part of a form whose name stands in no quotes: the end of its line ends it, as nothing else does that a name is known by. */
const bareFormName = /form-data;[^\r\n]{0,1000}name\*?[ \t]*=(?!")/i;

/** A form may begin with a key, by itself or as a text in JSON, also in one that is a text itself. */
function mayHoldKeyOfForm(text: string): boolean {
  return text.startsWith('key=') || holdsEnding(text, '"key', '=');
}

function alternatives(sources: readonly string[]): RegExp | undefined {
  return sources.length === 0 ? undefined : new RegExp([...new Set(sources)].join('|'));
}

/** Whether something that is looked for in all of a text may be there. */
type ProseTest = (text: string) => boolean;

/** Looks for a hint around each place of a character, which is found many times as fast as an expression. */
function testAround(
  hint: string,
  { character, charactersBefore, ahead }: NonNullable<PatternRule['hintCharacter']>,
): ProseTest {
  const here = new RegExp(hint, 'y');
  const following = ahead === undefined ? undefined : Array.from(ahead, (one) => one.charCodeAt(0));
  const startsAt = (text: string, index: number): boolean => {
    here.lastIndex = index;
    return index >= 0 && here.test(text);
  };
  return (text) => {
    for (let at = text.indexOf(character); at >= 0; at = text.indexOf(character, at + 1)) {
      // A number is compared in a fraction of the time of a text.
      if (following !== undefined && !following.includes(text.charCodeAt(at + 1))) continue;
      for (const before of charactersBefore) if (startsAt(text, at - before)) return true;
    }
    return false;
  };
}

function proseTest({ hint, hintNeeds: needs = [], hintRun, hintCharacter }: PatternRule): ProseTest {
  if (hintCharacter !== undefined) return testAround(hint, hintCharacter);
  const pattern = new RegExp(hint);
  const runs = hintRun === undefined ? undefined : new CharacterRuns(hintRun.characters, hintRun.charactersMin);
  if (runs !== undefined) return (text) => runs.some(text, (run) => pattern.test(run));
  return (text) => needs.every((needed) => text.includes(needed)) && pattern.test(text);
}

/** One test for each hint that something is looked for before, and one for all others together. */
function proseTests(patterns: readonly PatternRule[]): ProseTest[] {
  const inProse = patterns.filter(({ isInProse }) => isInProse === true);
  const byHint = new Map(inProse.map((rule) => [rule.hint, rule]));
  const [first, others] = [[] as PatternRule[], [] as PatternRule[]];
  for (const rule of byHint.values())
    ((rule.hintNeeds ?? rule.hintRun ?? rule.hintCharacter) ? first : others).push(rule);
  const together = alternatives(others.map(({ hint }) => hint));
  return [...first.map(proseTest), ...(together === undefined ? [] : [(text: string) => together.test(text)])];
}

/** Tells cheaply that a text holds no secret, so that most payloads are looked at once and never taken apart. */
export class RedactionHints {
  private readonly inWords: WordHints;
  private readonly inProse: readonly ProseTest[];
  private readonly usesNames: boolean;

  constructor(patterns: readonly PatternRule[], usesNames: boolean) {
    this.inWords = new WordHints(patterns.filter(({ isInProse }) => isInProse !== true));
    this.inProse = proseTests(patterns);
    this.usesNames = usesNames;
  }

  /** False where no rule can find anything in this text as it is written, which may be JSON. */
  test(text: string): boolean {
    // Recorded bytes are base64, in which nothing can be seen. Of quotes there are many, of this character few.
    if (text.includes(PLACEHOLDER_START) || holdsEnding(text, 'base', '64":"')) return true;
    if (this.usesNames && (holdsEnding(text, 'PRI', 'VATE KEY') || this.testNames(text))) return true;
    return this.inProse.some((test) => test(text)) || this.inWords.test(text);
  }

  /** False where no value stands beside a name that makes it a secret. */
  testNames(text: string): boolean {
    if (SECRET_NAME_HINT.test(text) || bareFormName.test(text)) return true;
    return mayHoldKeyOfForm(text) || mayHoldPair(text) || mayHoldAligned(text) || mayHoldKubernetesSecret(text);
  }

  /** The rules that look for long words alone and may find something in this text. */
  wordRulesFor(text: string): ReadonlySet<PatternRule> {
    return this.inWords.rulesFor(text);
  }
}
