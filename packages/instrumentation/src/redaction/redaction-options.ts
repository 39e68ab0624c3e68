/** What the id of a rule looks like. */
export const RULE_ID_PATTERN = /^[a-z0-9][a-z0-9-]{0,39}$/;

/** A rule of the user: finds by place, by pattern or by code; at least one of the three. */
export interface RedactionRule {
  /** Lower-case words joined by hyphens; it stands in the placeholder and in the recording. */
  readonly id: string;
  /** Why it is redacted, for the reader of a recording. */
  readonly why: string;
  /**
   * Members from the outside in, joined by points, `*` for any: `customer.ssn`, `cards.*.number`. It counts wherever in an
   * input, output or body these members follow each other, in JSON inside their texts, too; everything below the last is redacted.
   */
  readonly path?: string;
  /** What it matches is the secret. It runs over every text that is recorded: it must take linear time. */
  readonly pattern?: RegExp;
  /**
   * Gives the parts of a text that are secrets. `path`: the members the text stands under; those of JSON inside a text are asked about one
   * by one, too. Where it throws or gives anything but texts, what was to be searched is withheld.
   */
  readonly find?: (text: string, path: readonly string[]) => readonly string[];
}

/** What a host says about redaction. */
export interface RedactionOptions {
  /** False turns the default rules off; the user's own stay. */
  readonly defaults?: boolean;
  /** Ids of default rules that are not wanted. */
  readonly without?: readonly string[];
  /** Personal data is redacted only where it is asked for. */
  readonly personal?: readonly ('email' | 'phone')[];
  readonly rules?: readonly RedactionRule[];
}

/** Rules out of the variables `REENACT_REDACTION`, `REENACT_REDACT_PATHS`, `REENACT_REDACT_PATTERN`, `REENACT_REDACT_PERSONAL`. */
export function optionsOfEnvironment(environment: NodeJS.ProcessEnv): RedactionOptions {
  const { REENACT_REDACTION, REENACT_REDACT_PATHS, REENACT_REDACT_PATTERN, REENACT_REDACT_PERSONAL } = environment;
  const paths = listed(REENACT_REDACT_PATHS).map((path) => ({
    id: 'environment-path',
    why: 'REENACT_REDACT_PATHS names it.',
    path,
  }));
  const pattern =
    REENACT_REDACT_PATTERN === undefined || REENACT_REDACT_PATTERN === '' ? [] : [patternRule(REENACT_REDACT_PATTERN)];
  return {
    defaults: REENACT_REDACTION !== 'off',
    personal: listed(REENACT_REDACT_PERSONAL).filter((name) => name === 'email' || name === 'phone'),
    rules: [...paths, ...pattern],
  };
}

function listed(text: string | undefined): string[] {
  return (text ?? '')
    .split(',')
    .map((item) => item.trim())
    .filter((item) => item !== '');
}

function patternRule(source: string): RedactionRule {
  return { id: 'environment-pattern', why: 'REENACT_REDACT_PATTERN matches it.', pattern: new RegExp(source) };
}
