import { ReenactError } from '@reenact/trace-model';
import { guarded } from '../../host/report-failure.ts';
import { TYPED_SECRET_CHARACTERS_MIN, TYPED_SECRETS_MAX } from '../../limits.ts';
import { environmentSecrets, isTelling } from './environment-secrets.ts';
import { loadRedactionKey, type RedactionKey } from './redaction-key.ts';
import { optionsOfEnvironment, type RedactionOptions } from './redaction-options.ts';
import { Redactor } from './redactor.ts';

let key: RedactionKey | undefined;
let redactor: Redactor | undefined;
let configured: RedactionOptions | undefined;
const typed = new Set<string>();

function processKey(): RedactionKey {
  key ??= loadRedactionKey(process.env);
  return key;
}

function made(options: RedactionOptions): Redactor {
  const secrets = Array.from(typed, (text) => ({ text, rule: 'named-value' }));
  return new Redactor({ options, key: processKey, known: [...environmentSecrets(process.env), ...secrets] });
}

/** In force where the environment's rules cannot be used: what they would have found is not known, so nothing is kept. */
function withholding(): Redactor {
  const find = (): never => {
    throw new ReenactError('bad-config', "The environment's rules of redaction cannot be used.");
  };
  return made({ rules: [{ id: 'unusable-rules', why: 'A variable REENACT_REDACT_… cannot be used.', find }] });
}

/** The one redactor of this process, made by the environment's rules where nobody configured it. Never throws. */
export function processRedactor(): Redactor {
  redactor ??=
    guarded('reading redaction settings', () => made(optionsOfEnvironment(process.env)), undefined) ?? withholding();
  return redactor;
}

/**
 * Has a secret that was typed found wherever the program hands it on: a password has no form of its own, and in a replay the program has its token. One that
 * may be met by chance is left. Never throws.
 */
export function keepTypedSecret(text: string): void {
  if (!isTelling(text, TYPED_SECRET_CHARACTERS_MIN) || typed.has(text) || typed.size >= TYPED_SECRETS_MAX) return;
  const before = processRedactor();
  if (!before.ruleIds.includes('named-value')) return;
  typed.add(text);
  guarded(
    'keeping a typed secret',
    () => {
      const next = made(configured ?? optionsOfEnvironment(process.env));
      for (const [rule, times] of before.found) next.count(rule, times);
      redactor = next;
    },
    undefined,
  );
}

/** Types do not keep JavaScript from giving none. */
function requireOptions(options: unknown): void {
  if (typeof options === 'object' && options !== null) return;
  throw new ReenactError('bad-argument', 'configureRedaction got no options.', {
    where: 'configureRedaction(options)',
    next: 'Say what is a secret: configureRedaction({ rules: [...] }), or { defaults: false } to look for none.',
  });
}

/**
 * Adds to the rules that the environment gives. Call it before the first boundary is crossed, in production and in the
 * process of a replay alike: both must find the same. Calling it again replaces what was configured before. Throws
 * ReenactError `bad-argument` for a rule that cannot be used, `bad-config` for one of the environment.
 */
export function configureRedaction(options: RedactionOptions): void {
  requireOptions(options);
  const { defaults, without = [], personal = [], rules = [] } = optionsOfEnvironment(process.env);
  configured = {
    defaults: options.defaults ?? defaults ?? true,
    without: [...without, ...(options.without ?? [])],
    personal: [...personal, ...(options.personal ?? [])],
    rules: [...rules, ...(options.rules ?? [])],
  };
  redactor = made(configured);
}

/** Throws ReenactError `bad-config` where the environment has a rule that cannot be used. */
export function requireUsableRules(environment: NodeJS.ProcessEnv): void {
  made(optionsOfEnvironment(environment));
}

/** Reads or makes the key now: a replay does so before its guard refuses to touch files. Gives the key's id. Never throws. */
export function prepareRedaction(): string {
  processRedactor();
  return processKey().id;
}

/** The id of this process's key. Never throws. */
export function redactionKeyId(): string {
  return processKey().id;
}

/** How often each rule of this process has found something, by its id. */
export function redactionCounts(): ReadonlyMap<string, number> {
  return new Map(processRedactor().found);
}

/** Ids of the rules in force in this process, for the resource of its spans. */
export function redactionRuleIds(): readonly string[] {
  return processRedactor().ruleIds;
}
