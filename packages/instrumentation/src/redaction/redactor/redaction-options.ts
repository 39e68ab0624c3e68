import { ReenactError, toReenactError } from '@reenact/trace-model';

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

const personalKinds = ['email', 'phone'] as const;

function isPersonalKind(name: string): name is (typeof personalKinds)[number] {
  return personalKinds.some((kind) => kind === name);
}

/** `$.customer.name`, `cards[*].number`: a JSON path, which would find nothing here. */
const jsonPath = /^\$(?:\.|$)|\[(?:\d+|\*|['"].*)\]/;

function listed(text: string | undefined): string[] {
  return (text ?? '')
    .split(',')
    .map((item) => item.trim())
    .filter((item) => item !== '');
}

function unusable(variable: string, what: string, next: string): ReenactError {
  return new ReenactError('bad-config', `${variable} ${what}`, { where: variable, next });
}

function pathRules(text: string | undefined): RedactionRule[] {
  return listed(text).map((path) => {
    if (jsonPath.test(path))
      throw unusable(
        'REENACT_REDACT_PATHS',
        `has "${path}", which is a JSON path.`,
        'Name the members from the outside in, joined by points, * for any: customer.name,cards.*.number',
      );
    return { id: 'environment-path', why: 'REENACT_REDACT_PATHS names it.', path };
  });
}

function patternRules(source: string | undefined): RedactionRule[] {
  if (source === undefined || source === '') return [];
  try {
    return [{ id: 'environment-pattern', why: 'REENACT_REDACT_PATTERN matches it.', pattern: new RegExp(source) }];
  } catch (thrown) {
    const message = thrown instanceof Error ? thrown.message : String(thrown);
    // The platform says the whole pattern first, which may be a secret by itself.
    const reason = message.slice(message.lastIndexOf(': ') + 2);
    throw unusable(
      'REENACT_REDACT_PATTERN',
      `is no regular expression: ${reason}.`,
      "Write it as JavaScript does between its slashes: 'TCK-\\d{6}'",
    );
  }
}

function personalOf(text: string | undefined): (typeof personalKinds)[number][] {
  return listed(text).map((name) => {
    if (isPersonalKind(name)) return name;
    throw unusable(
      'REENACT_REDACT_PERSONAL',
      `has "${name}", which is no kind of personal data that is known.`,
      'Use email, phone or both, separated by a comma; for others write a rule: REENACT_REDACT_PATHS or REENACT_REDACT_PATTERN.',
    );
  });
}

/** What one variable says; what cannot be used of it joins the others. */
function read<Item>(items: () => Item[], faults: ReenactError[]): Item[] {
  try {
    return items();
  } catch (thrown) {
    faults.push(toReenactError(thrown));
    return [];
  }
}

function throwAll(faults: readonly ReenactError[]): void {
  const [first, ...others] = faults;
  if (first === undefined) return;
  if (others.length === 0) throw first;
  const of = (part: 'message' | 'where' | 'next', between: string): string =>
    faults.flatMap((fault) => fault[part] ?? []).join(between);
  throw new ReenactError('bad-config', of('message', ' '), { where: of('where', ', '), next: of('next', ' ') });
}

/**
 * Rules out of the variables `REENACT_REDACTION`, `REENACT_REDACT_PATHS`, `REENACT_REDACT_PATTERN`, `REENACT_REDACT_PERSONAL`. Throws
 * ReenactError `bad-config`, which names all that cannot be used: without them what should have been found would be recorded.
 */
export function optionsOfEnvironment(environment: NodeJS.ProcessEnv): RedactionOptions {
  const faults: ReenactError[] = [];
  const personal = read(() => personalOf(environment.REENACT_REDACT_PERSONAL), faults);
  const paths = read(() => pathRules(environment.REENACT_REDACT_PATHS), faults);
  const patterns = read(() => patternRules(environment.REENACT_REDACT_PATTERN), faults);
  throwAll(faults);
  return { defaults: environment.REENACT_REDACTION !== 'off', personal, rules: [...paths, ...patterns] };
}
