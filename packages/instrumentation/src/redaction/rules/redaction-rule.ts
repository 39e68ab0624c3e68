/** Where a pattern has matched. */
export interface FoundPlace {
  readonly text: string;
  readonly start: number;
  readonly end: number;
}

/** One way to find secrets in a text. */
export interface PatternRule {
  /** Lower-case words joined by hyphens; it stands in the placeholder and in the recording. */
  readonly id: string;
  /** Why such a text is a secret, for the reader of a recording. */
  readonly why: string;
  /**
   * Source of a regular expression whose match is the secret itself. It must take linear time on every text: quantified
   * classes may not overlap what follows them, or are bounded.
   */
  readonly pattern: string;
  /** Source of what stands directly before the secret and stays. */
  readonly after?: string;
  /** The match must not follow a letter or digit. */
  readonly startsWord?: true;
  /** Texts of which at least one is in every text with a match, where there are such; looked for first. */
  readonly needs?: readonly string[];
  /** Source of an expression that the raw JSON of a payload matches wherever the rule can match; the cheap first look. */
  readonly hint: string;
  /** What the hint begins with, three ASCII characters or more each; only one for prose needs none. */
  readonly hintStarts?: readonly string[];
  /** The hint may be in prose; any other is only looked for in words of at least LONG_WORD_CHARACTERS_MIN characters. */
  readonly isInProse?: true;
  /** Texts that each text has in which the hint for prose matches; where one is missing, the hint is not looked for. */
  readonly hintNeeds?: readonly string[];
  /** The ASCII characters that whatever the hint for prose matches is made of, and how many it has at least; looked for first. */
  readonly hintRun?: { readonly characters: string; readonly charactersMin: number };
  /** A character that whatever the hint for prose matches has, and how many it may have before the first; only around it the hint is looked for. `ahead`: what may stand directly behind it. */
  readonly hintCharacter?: {
    readonly character: string;
    readonly charactersBefore: readonly number[];
    readonly ahead?: string;
  };
  /** Says whether a match is a secret, where the pattern alone cannot. */
  readonly accepts?: (found: string) => boolean;
  /** Says where in a match the secrets are, where the pattern finds what they may be part of. In order and apart. */
  readonly places?: (match: FoundPlace) => readonly FoundPlace[];
}

/** A part of a text that is a secret. */
export interface SecretSpan {
  readonly start: number;
  readonly end: number;
  readonly rule: string;
  /** The secret itself, where it stands there in an encoded form. */
  readonly secret?: string;
  /** What its token is written between, where a number becomes a text. */
  readonly quote?: string;
  /** Where it is a text in base64: that alone is replaced which is a secret of it. */
  readonly inBase64?: SecretsInBase64;
}

/** The secrets of a text in base64. */
export interface SecretsInBase64 {
  /** How the text reads. */
  readonly plain: string;
  readonly spans: readonly SecretSpan[];
  /** What replaces the base64, given how the text is to read. */
  readonly written: (plain: string) => string;
}
